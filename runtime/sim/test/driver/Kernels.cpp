//===- Kernels.cpp - the kernels that tests of the driver launch ----------===//

#include "Apart.h"

// store(p, v): p[thread] = v; add(p, v): p[thread] += v; small has static
// shared memory and blocks of at most 64 threads.
const char *const tdc_sim_test::kKernels = R"(
.version 7.0
.target sm_80
.address_size 64

.visible .entry store(
    .param .u64 store_param_0,
    .param .u32 store_param_1
)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [store_param_0];
    ld.param.u32 %r1, [store_param_1];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r1;
    ret;
}

.visible .entry add(
    .param .u64 add_param_0,
    .param .u32 add_param_1
)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [add_param_0];
    ld.param.u32 %r1, [add_param_1];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.u32 %r3, [%rd4];
    add.s32 %r4, %r3, %r1;
    st.global.u32 [%rd4], %r4;
    ret;
}

.visible .entry small(
    .param .u32 small_param_0
)
.maxntid 64, 1, 1
{
    .shared .align 4 .b8 tile[1024];
    .reg .b32 %r<6>;
    ld.param.u32 %r1, [small_param_0];
    mov.u32 %r2, tile;
    mov.u32 %r3, %tid.x;
    shl.b32 %r4, %r3, 2;
    add.s32 %r5, %r2, %r4;
    st.shared.u32 [%r5], %r1;
    ret;
}
)";
