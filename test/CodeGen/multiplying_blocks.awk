# Prints the blocks of an assembly file that multiply and add.
/^\.LBB/ { block = "" }
{ block = block $0 "\n" }
/^\tj/ { if (block ~ /vfmadd|mulps/) printf "%s", block; block = "" }
