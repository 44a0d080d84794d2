"""Writes the small images in this folder. Images written by PIL have a copy of their
pixels as PIL reads them, x.png.npy; PIL cannot write the others, and the tests know
their pixels. Run once with Pillow; the files are data."""
import os
import struct
import zlib

import numpy as np
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))
HEIGHT, WIDTH = 11, 13


def pattern(channels, limit=256):
    y, x, c = np.mgrid[:HEIGHT, :WIDTH, :channels]
    return (y * 31 + x * 7 + c * 50) * (limit // 256 or 1) % limit


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(
        ">I", zlib.crc32(kind + data))


def rows(pixels, bits):
    """Unfiltered rows of `bits` bits a number."""
    out = b""
    for row in pixels.reshape(len(pixels), -1):
        if bits == 16:
            line = row.astype(">u2").tobytes()
        else:
            text = "".join(format(int(n), f"0{bits}b") for n in row)
            text += "0" * (-len(text) % 8)
            line = bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8))
        out += b"\0" + line
    return out


ADAM7 = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2),
         (0, 1, 2, 2), (1, 0, 2, 1)]


def write_png(name, pixels, colour, bits, extra=b"", interlaced=False):
    if interlaced:
        data = b"".join(rows(pixels[y::dy, x::dx], bits)
                        for y, x, dy, dx in ADAM7 if pixels[y::dy, x::dx].size)
    else:
        data = rows(pixels, bits)
    header = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], bits,
                         colour, 0, 0, interlaced)
    with open(f"{HERE}/{name}.png", "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra +
                   chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b""))


write_png("gray1", pattern(1, 2), 0, 1)
write_png("gray2", pattern(1, 4), 0, 2)
write_png("gray4", pattern(1, 16), 0, 4)
write_png("gray16", pattern(1, 65536), 0, 16)
write_png("rgb16", pattern(3, 65536), 2, 16)
write_png("rgb16-interlaced", pattern(3, 65536), 2, 16, interlaced=True)
write_png("rgb-interlaced", pattern(3), 2, 8, interlaced=True)
# A gray image with one transparent shade.
write_png("gray-key", pattern(1), 0, 8, chunk(b"tRNS", b"\0\x07"))
colours = bytes(i * 5 % 256 for i in range(48))
write_png("palette", pattern(1, 16), 3, 4, chunk(b"PLTE", colours))
write_png("palette-alpha", pattern(1, 16), 3, 4, chunk(b"PLTE", colours) +
          chunk(b"tRNS", bytes(range(0, 160, 10))))
# Chunks that readers skip: a compressed text and a compressed profile.
write_png("texts", pattern(1), 0, 8, chunk(
    b"zTXt", b"Comment\0\0" + zlib.compress(b"x" * 1000)) + chunk(
        b"iCCP", b"profile\0\0" + zlib.compress(b"no profile")))


def write_pil(name, mode, channels, **options):
    pixels = pattern(channels).astype("u1")
    image = Image.fromarray(pixels[:, :, 0] if channels == 1 else pixels, mode)
    image.save(f"{HERE}/{name}", **options)
    np.save(f"{HERE}/{name}.npy", np.asarray(Image.open(f"{HERE}/{name}")))


write_pil("l.png", "L", 1)
write_pil("la.png", "LA", 2)
write_pil("rgb.png", "RGB", 3)
write_pil("rgba.png", "RGBA", 4)
write_pil("gray.jpg", "L", 1)
write_pil("rgb.jpg", "RGB", 3, subsampling=0)
write_pil("subsampled.jpg", "RGB", 3)
write_pil("progressive.jpg", "RGB", 3, progressive=True, restart_marker_rows=1)
Image.fromarray(pattern(4).astype("u1"), "CMYK").save(f"{HERE}/cmyk.jpg")
