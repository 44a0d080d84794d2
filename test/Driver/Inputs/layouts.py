a, b = 0, 0
if a > 0: a += 1; b += 1
for i in range(3): a = a + 1; b = b + 2
print(a, b)
if (a > 1 and
        b > 100):
    print("in")
print("out")
while (a > 1 and
       a > 2): a -= 1; b -= 1
print(a, b)
if a > 100: print("x")
else: print("y"); print("z")
def f(x,
      y=2):
    z = x + y
    return z
print(f(3))
