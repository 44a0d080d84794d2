" Settings of .tdsl files: comments, indentation, and `gq` by tdc fmt.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=:##,:# commentstring=#\ %s
setlocal expandtab shiftwidth=4 softtabstop=4 textwidth=0 colorcolumn=101
setlocal formatprg=tdc\ fmt\ -
let b:undo_ftplugin = 'setlocal comments< commentstring< expandtab< shiftwidth<'
      \ . ' softtabstop< textwidth< colorcolumn< formatprg<'
