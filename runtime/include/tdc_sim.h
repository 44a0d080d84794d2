//===- tdc_sim.h - what the simulated driver has and NVIDIA's has not -----===//
//
// Found with dlsym in libtdc_sim_cuda.so beside the functions of
// cuda_driver.def; a real driver lacks them.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_H
#define TDC_SIM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What was found wrong last: why a call returned its error, or what a kernel
 * did; empty if nothing was. It stays until the thread calls this again. */
__attribute__((visibility("default"))) const char *tdc_sim_last_fault(void);

/* What is wrong with the variables of the environment (driver/Settings.h): with
 * a malformed one, cuInit fails. Empty if nothing is. */
__attribute__((visibility("default"))) const char *
tdc_sim_malformed_setting(void);

/* Whether these bytes of the host are what they will be: 0 while a copy from a
 * device writes them that the host has not waited for, even if the bytes
 * happen to have arrived. */
__attribute__((visibility("default"))) int tdc_sim_is_valid(const void *pointer,
                                                            size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* TDC_SIM_H */
