; opt -passes=instcombine: @f returns %relu, which is NaN where %x is. It should
; return 0 there, because NaN is not above 0; and 0, not -0, where %x is -0.
define float @f(float %x) {
  %below = fcmp olt float %x, 0.0
  %relu = select i1 %below, float 0.0, float %x
  %above = fcmp ogt float %relu, 0.0
  %result = select i1 %above, float %relu, float 0.0
  ret float %result
}
