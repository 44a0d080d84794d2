"""smaller.py FILE BYTES: fails unless the file has fewer bytes."""
import os
import sys

size = os.path.getsize(sys.argv[1])
if size >= int(sys.argv[2]):
    sys.exit(f"{sys.argv[1]} has {size} bytes")
