//===- New.cpp - tdc new --------------------------------------------------===//
//
// Makes a folder with a program that trains, to start from.
//
//===----------------------------------------------------------------------===//

#include "OutputFile.h"
#include "Verbs.h"
#include "tdc_text.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;

static constexpr llvm::StringLiteral program =
    R"(## Learns which points are near the origin.

arg epochs: int = 20 "training epochs"
arg seed: int = 0 "of the random numbers"

model Net(hidden: int) {
    inner = Linear(2, hidden)
    outer = Linear(hidden, 1)
    fn forward(x: f32[B, 2]) -> f32[B, 1] = self.outer(relu(self.inner(x)))
}

manual_seed(seed)
let x = randn(512, 2)
let y = (x.square().sum(1, keepdim=true) < 1.4).float()

let loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=true)

let net = Net(32)
let criterion = BCEWithLogitsLoss()
let optimizer = Adam(net.parameters(), lr=0.01)
for epoch in range(epochs) {
    for inputs, labels in loader {
        optimizer.zero_grad()
        let loss = criterion(net(inputs), labels)
        loss.backward()
        optimizer.step()
    }
    with no_grad {
        let outputs = net(x)
        let loss = criterion(outputs, y).item()
        let right = 100 * ((outputs > 0).float() == y).float().mean().item()
        print(f"epoch {epoch + 1}: loss {loss:.3f}, {right:.1f} % right")
    }
}
)";

static constexpr llvm::StringLiteral readme = R"(# @NAME@

`main.tdsl` trains a small model on points that it makes itself.

    tdc run main.tdsl                 trains it
    tdc run main.tdsl --epochs 5      with another argument
    tdc check main.tdsl               reports mistakes, runs nothing
    tdc build main.tdsl -o main       makes an executable

`tdc --help` lists the other commands.
)";

static constexpr llvm::StringLiteral ignored = R"(/main
*.safetensors
tdc-crash-*/
)";

static int fail(const Options &options, const llvm::Twine &why) {
  return reportFault(options, options.file,
                     {751, -1, ("cannot be written: " + why).str()});
}

/// Whether the folder has no entry. A folder that cannot be read has some.
static bool isEmpty(const llvm::Twine &folder) {
  std::error_code error;
  llvm::sys::fs::directory_iterator first(folder, error);
  return !error && first == llvm::sys::fs::directory_iterator();
}

int tdc::newVerb(const Options &options) {
  llvm::StringRef folder = options.file;
  if (llvm::sys::fs::exists(folder) && !llvm::sys::fs::is_directory(folder))
    return fail(options, "it is no folder");
  if (llvm::sys::fs::exists(folder) && !isEmpty(folder))
    return fail(options, "the folder is not empty");
  if (std::error_code error = llvm::sys::fs::create_directories(
          folder, /*IgnoreExisting=*/true, llvm::sys::fs::all_all))
    return fail(options, error.message());

  llvm::SmallString<128> path(folder);
  std::ignore = llvm::sys::fs::make_absolute(path);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  auto [before, after] = llvm::StringRef(readme).split("@NAME@");
  std::string title = (before + llvm::sys::path::filename(path) + after).str();
  for (auto [name, text] :
       {std::pair<llvm::StringRef, llvm::StringRef>{"main.tdsl", program},
        {"README.md", title},
        {".gitignore", ignored}}) {
    llvm::SmallString<128> file(folder);
    llvm::sys::path::append(file, name);
    if (int exitCode = writeFile(options, file, text))
      return exitCode;
  }
  llvm::SmallString<128> main(folder);
  llvm::sys::path::append(main, "main.tdsl");
  llvm::outs() << "tdc run " << quoteWord(printable(main.str().str())) << "\n";
  return ExitOk;
}
