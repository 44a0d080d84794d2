# Prints the blocks of an assembly file that multiply and add.
/^\.LBB/ { block = "" }
{ block = block $0 "\n" }
/^\tj/ { if (block ~ /vfmadd/) printf "%s", block; block = "" }
