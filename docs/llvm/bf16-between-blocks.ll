; llc -mcpu=znver3: calls __truncsfbf2, which only compilers' own libraries have. The
; 16 bits should stay as they are.
define i16 @f(i16 %bits, i1 %condition) {
  %x = bitcast i16 %bits to bfloat
  br i1 %condition, label %reads, label %other
reads:
  %same = bitcast bfloat %x to i16
  ret i16 %same
other:
  ret i16 0
}
