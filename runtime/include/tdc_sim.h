//===- tdc_sim.h - functions that only the simulated driver has -----------===//
//
// They are looked up by dlsym in libtdc_sim_cuda.so, like the functions of
// cuda_driver.def; a real driver lacks them.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_H
#define TDC_SIM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The message of the last fault: why a call returned its error, or what a
 * kernel did; empty if there was none. Valid until the thread calls this
 * again. */
__attribute__((visibility("default"))) const char *tdc_sim_last_fault(void);

/* The message for a malformed variable of the environment (driver/Settings.h),
 * with which cuInit fails. Empty if there is none. */
__attribute__((visibility("default"))) const char *
tdc_sim_malformed_setting(void);

/* Whether these bytes of the host are final: 0 if a copy from a device writes
 * them and the host has not waited for it, even if the bytes happen to have
 * arrived. */
__attribute__((visibility("default"))) int tdc_sim_is_valid(const void *pointer,
                                                            size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* TDC_SIM_H */
