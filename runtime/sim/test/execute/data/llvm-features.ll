; llc -O3 -march=nvptx64 -mcpu=sm_80 -mattr=+ptx80 llvm-features.ll -o llvm-features.ptx
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare float @llvm.sqrt.f32(float)
@table = internal addrspace(1) constant [8 x float] [float 1.0, float 2.0, float 3.0, float 4.0, float 5.0, float 6.0, float 7.0, float 8.0]
@rest = external addrspace(3) global [0 x float], align 16

; %kind chooses what thread t writes to out[t].
define ptx_kernel void @features(ptr addrspace(1) %out, ptr byval([8 x float]) %values, i32 %kind, i32 %n) !dbg !4 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %choose, label %end
choose:
  %i = and i32 %t, 7
  switch i32 %kind, label %other [ i32 0, label %constant
    i32 1, label %parameter
    i32 2, label %stack
    i32 3, label %shared
    i32 4, label %root ]
constant:
  %c.at = getelementptr float, ptr addrspace(1) @table, i32 %i
  %c = load float, ptr addrspace(1) %c.at
  br label %store
parameter:
  %p.at = getelementptr float, ptr %values, i32 %i
  %p = load float, ptr %p.at
  br label %store
stack:
  %own = alloca [8 x float]
  %s.at = getelementptr float, ptr %own, i32 %i
  %tf = uitofp i32 %t to float
  store volatile float %tf, ptr %s.at
  %s = load volatile float, ptr %s.at
  br label %store
shared:
  %d.at = getelementptr float, ptr addrspace(3) @rest, i32 %t
  %df = uitofp i32 %i to float
  store volatile float %df, ptr addrspace(3) %d.at
  %d.generic = addrspacecast ptr addrspace(3) %d.at to ptr
  %d = load volatile float, ptr %d.generic
  br label %store
root:
  %rf = uitofp i32 %t to float
  %r = call float @llvm.sqrt.f32(float %rf)
  br label %store
other:
  %of = sitofp i32 %kind to float
  br label %store
store:
  %value = phi float [%c, %constant], [%p, %parameter], [%s, %stack], [%d, %shared], [%r, %root], [%of, %other]
  %o.at = getelementptr float, ptr addrspace(1) %out, i32 %t
  store float %value, ptr addrspace(1) %o.at, !dbg !7
  br label %end
end:
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "program.tdsl", directory: "/home/someone")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 2}
!4 = distinct !DISubprogram(name: "features", file: !1, line: 3, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 12, column: 3, scope: !4)
