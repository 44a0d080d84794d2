; llc -mcpu=skylake-avx512: `vmovss %xmm0, (%rdi)` writes four bytes. It should
; write two: what follows them in memory is not to be changed.
define void @f(<8 x i32> %wide, ptr %p) {
  %narrow = trunc <8 x i32> %wide to <8 x i16>
  call void @llvm.masked.store.v8i16.p0(<8 x i16> %narrow, ptr align 2 %p,
      <8 x i1> <i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  ret void
}
declare void @llvm.masked.store.v8i16.p0(<8 x i16>, ptr, <8 x i1>)
