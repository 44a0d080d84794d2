" Colours of .tdsl files.
if exists('b:current_syntax')
  finish
endif

syntax keyword tdslControl import from as if else for in while with return break continue assert
syntax keyword tdslStorage fn export let var
syntax keyword tdslWordOperator and or not
syntax keyword tdslBoolean true false
syntax keyword tdslSelf self
syntax keyword tdslType f64 f32 f16 bf16 i64 i32 i16 i8 u64 u32 u16 u8 bool

syntax match tdslDeclaration "\%(^\|[;{]\)\s*\zs\%(model\|arg\|param\|buffer\)\ze\s\+\h"
syntax match tdslFunction "\<\h\w*\ze\s*("
syntax match tdslMember "\.\s*\h\w*"
syntax match tdslNumber "\<0[xX][0-9A-Fa-f_]\+\>"
syntax match tdslNumber "\<\d[0-9_]*\%(\.\%(\h\|\.\)\@!\d*\)\?\%([eE][-+]\?\d\+\)\?"
syntax match tdslNumber "\.\d[0-9_]*\%([eE][-+]\?\d\+\)\?"
syntax match tdslDevice "\<cuda:\d\+\>"

syntax match tdslEscape "\\." contained
syntax region tdslField start="{" end="}" contained contains=TOP oneline
syntax match tdslBraces "{{\|}}" contained
syntax region tdslString start=+"+ skip=+\\.+ end=+"+ end=+$+ contains=tdslEscape
syntax region tdslString start=+'+ skip=+\\.+ end=+'+ end=+$+ contains=tdslEscape
syntax region tdslString start=+\<f"+ skip=+\\.+ end=+"+ end=+$+ contains=tdslEscape,tdslField,tdslBraces
syntax region tdslString start=+\<f'+ skip=+\\.+ end=+'+ end=+$+ contains=tdslEscape,tdslField,tdslBraces

syntax match tdslComment "#.*$" contains=tdslTodo
syntax match tdslDocumentation "^\s*##.*$"
syntax keyword tdslTodo TODO FIXME contained

highlight default link tdslControl Statement
highlight default link tdslStorage Keyword
highlight default link tdslDeclaration Keyword
highlight default link tdslWordOperator Operator
highlight default link tdslBoolean Boolean
highlight default link tdslSelf Identifier
highlight default link tdslType Type
highlight default link tdslFunction Function
highlight default link tdslNumber Number
highlight default link tdslDevice Constant
highlight default link tdslEscape SpecialChar
highlight default link tdslBraces SpecialChar
highlight default link tdslString String
highlight default link tdslComment Comment
highlight default link tdslDocumentation SpecialComment
highlight default link tdslTodo Todo

let b:current_syntax = 'tdsl'
