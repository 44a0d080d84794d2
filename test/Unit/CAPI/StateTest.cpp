//===- StateTest.cpp - the state by name and in files ---------------------===//

#include "Programs.h"
#include <unistd.h>

using namespace capi_test;

namespace {

TEST(StateTest, ReadAndWrite) {
  Program program(kLinear);
  Module module(program);
  Floats weight({1, 2}, {3, 4}), bias({1}, {5});
  tdc_tensor w = weight.get(), b = bias.get();
  Error error;
  ASSERT_EQ(tdc_state_write(module, "net.weight", &w, &error), TDC_OK)
      << error.text();
  ASSERT_EQ(tdc_state_write(module, "net.bias", &b, &error), TDC_OK);
  Floats x({2, 2}, {1, 0, 0, 1});
  tdc_tensor input = x.get(), output = {};
  ASSERT_EQ(
      tdc_call(module, program.find("predict"), 1, &input, 1, &output, &error),
      TDC_OK);
  EXPECT_EQ(floatsOf(output), (std::vector<float>{8, 9}));
  tdc_tensor_free(&output);
  tdc_tensor read = {};
  ASSERT_EQ(tdc_state_read(module, "net.weight", &read, &error), TDC_OK);
  EXPECT_EQ(floatsOf(read), (std::vector<float>{3, 4}));
  tdc_tensor_free(&read);
}

// As in PyTorch's state_dict a tied tensor is there under each of its names.
TEST(StateTest, TiedTensors) {
  Program program("model Lm {\n"
                  "    wte = Embedding(2, 1)\n"
                  "    head = Linear(1, 2, bias=false)\n"
                  "}\n"
                  "let lm = Lm()\n"
                  "lm.wte.weight = lm.head.weight\n"
                  "let other = Linear(1, 2, bias=false)\n"
                  "other.weight = lm.wte.weight\n"
                  "export fn head() -> f32[2, 1] = lm.head.weight\n");
  std::vector<std::string> names;
  for (size_t i = 0; i < tdc_state_count(program); ++i)
    names.push_back(tdc_state_get(program, i)->name);
  EXPECT_EQ(names, (std::vector<std::string>{"lm.wte.weight", "lm.head.weight",
                                             "other.weight"}));
  EXPECT_EQ(tdc_state_get(program, names.size()), nullptr);
  std::vector<std::string> roles;
  for (size_t i = 0; i < tdc_state_count(program); ++i) {
    const tdc_state_role &role = *tdc_state_get_role(program, i);
    EXPECT_EQ(role.size, sizeof role);
    EXPECT_EQ(role.kind, TDC_PARAMETER);
    EXPECT_EQ(role.tied, 0u);
    roles.push_back(role.model + std::string(" ") + role.key);
  }
  EXPECT_EQ(roles, (std::vector<std::string>{"lm wte.weight", "lm head.weight",
                                             "other weight"}));
  EXPECT_EQ(tdc_state_get_role(program, names.size()), nullptr);

  Module one(program), two(program);
  Error error;
  for (const char *name : {"lm.wte.weight", "lm.head.weight", "other.weight"}) {
    Floats values({2, 1}, {float(strlen(name)), 4});
    tdc_tensor tensor = values.get(), read = {};
    ASSERT_EQ(tdc_state_write(one, name, &tensor, &error), TDC_OK)
        << error.text();
    for (const char *other :
         {"lm.wte.weight", "lm.head.weight", "other.weight"}) {
      ASSERT_EQ(tdc_state_read(one, other, &read, &error), TDC_OK);
      EXPECT_EQ(floatsOf(read), (std::vector<float>{float(strlen(name)), 4}));
      tdc_tensor_free(&read);
    }
  }
  tdc_tensor output = {};
  ASSERT_EQ(tdc_call(one, program.find("head"), 0, nullptr, 1, &output, &error),
            TDC_OK);
  EXPECT_EQ(floatsOf(output), (std::vector<float>{12, 4}));
  tdc_tensor_free(&output);

  std::string path = testing::TempDir() + "capi_tied_test.safetensors";
  ASSERT_EQ(tdc_save(one, path.c_str(), &error), TDC_OK) << error.text();
  ASSERT_EQ(tdc_restore(two, path.c_str(), &error), TDC_OK) << error.text();
  ASSERT_EQ(tdc_state_read(two, "lm.head.weight", &output, &error), TDC_OK);
  EXPECT_EQ(floatsOf(output), (std::vector<float>{12, 4}));
  tdc_tensor_free(&output);
  unlink(path.c_str());
}

TEST(StateTest, Roles) {
  Program program("let net = BatchNorm1d(2)\n"
                  "let optimizer = SGD(net.parameters(), lr=0.1,\n"
                  "                    momentum=0.9)\n"
                  "export fn step(x: f32[4, 2]) -> f32[] {\n"
                  "    let loss = net(x).sum()\n"
                  "    loss.backward()\n"
                  "    optimizer.step()\n"
                  "    return loss\n"
                  "}\n"
                  "export fn mean() -> f32[2] = net.running_mean\n");
  int found = 0;
  for (size_t i = 0; i < tdc_state_count(program); ++i) {
    std::string name = tdc_state_get(program, i)->name;
    const tdc_state_role &role = *tdc_state_get_role(program, i);
    bool isOptimizers = name.find("opt.") == 0;
    EXPECT_EQ(role.kind, isOptimizers                 ? TDC_OPTIMIZER_STATE
                         : name == "net.running_mean" ? TDC_BUFFER
                                                      : TDC_PARAMETER)
        << name;
    EXPECT_EQ(role.tied, i);
    EXPECT_STREQ(role.model, isOptimizers ? "" : "net");
    EXPECT_EQ(role.key, isOptimizers ? name : name.substr(strlen("net.")));
    found |= 1 << role.kind;
  }
  EXPECT_EQ(found, 7); // there are tensors of each kind
  EXPECT_STREQ(tdc_state_get_removed(program, 0), "net.running_var");
  EXPECT_STREQ(tdc_state_get_removed(program, 1), "net.num_batches_tracked");
  EXPECT_EQ(tdc_state_get_removed(program, 2), nullptr);
}

TEST(StateTest, Mistakes) {
  Program program(kLinear);
  Module module(program);
  Floats weight({2, 2}, {3, 4, 5, 6});
  tdc_tensor w = weight.get();
  Error shape;
  EXPECT_EQ(tdc_state_write(module, "net.weight", &w, &shape), TDC_USAGE_ERROR);
  EXPECT_EQ(shape.text(), "error: `net.weight` of the state is f32[1, 2], not "
                          "f32[2, 2]\n");
  Error name;
  EXPECT_EQ(tdc_state_write(module, "net.wieght", &w, &name), TDC_USAGE_ERROR);
  EXPECT_EQ(name.text(), "error: the state has no `net.wieght`\n");
  Error read;
  EXPECT_EQ(tdc_state_read(module, "net.weight", &w, &read), TDC_USAGE_ERROR);
}

// Two modules of one program have separate states, and a checkpoint copies one
// to the other: parameters, optimizers' state, random numbers.
TEST(StateTest, Checkpoints) {
  std::string text = kLinear;
  text.replace(text.find("SGD(net.parameters(), lr=0.1)"), 29,
               "Adam(net.parameters(), lr=0.1)");
  text += "export fn draw() -> f32[2] = rand(2)\n";
  Program program(text);
  const tdc_function *step = program.find("step"), *draw = program.find("draw");
  Module one(program), other(program);
  float before = train(one, step, 10);
  std::string path = testing::TempDir() + "capi_state_test.safetensors";
  Error error;
  ASSERT_EQ(tdc_save(one, path.c_str(), &error), TDC_OK) << error.text();
  float expected = train(one, step, 10);
  EXPECT_LT(expected, before);
  tdc_tensor drawn = {}, again = {};
  ASSERT_EQ(tdc_call(one, draw, 0, nullptr, 1, &drawn, &error), TDC_OK);

  train(other, step, 3);
  ASSERT_EQ(tdc_restore(other, path.c_str(), &error), TDC_OK) << error.text();
  EXPECT_EQ(train(other, step, 10), expected);
  ASSERT_EQ(tdc_call(other, draw, 0, nullptr, 1, &again, &error), TDC_OK);
  EXPECT_EQ(floatsOf(again), floatsOf(drawn));
  tdc_tensor_free(&drawn);
  tdc_tensor_free(&again);

  // A checkpoint of another program changes nothing.
  Program unlike("let net = Linear(3, 1)\n"
                 "export fn f(x: f32[3]) -> f32[1] = net(x)\n");
  Module module(unlike);
  Error keys;
  EXPECT_EQ(tdc_restore(module, path.c_str(), &keys), TDC_RUN_ERROR);
  EXPECT_EQ(keys.code(), "TR741");
  unlink(path.c_str());
  Error missing;
  EXPECT_EQ(tdc_restore(other, path.c_str(), &missing), TDC_RUN_ERROR);
  EXPECT_EQ(missing.code(), "TR702");
  Error folder;
  EXPECT_EQ(tdc_save(other, "/nowhere/at/all.safetensors", &folder),
            TDC_RUN_ERROR);
  EXPECT_EQ(folder.code(), "TR751");
}

// The program's own `save` and `restore` and those of the module have the same
// format.
TEST(StateTest, FilesOfThePrograms) {
  std::string path = testing::TempDir() + "capi_state_test2.safetensors";
  for (bool isOneModel : {true, false}) {
    std::string models = "let a = Linear(2, 1)\n";
    if (!isOneModel)
      models += "let b = Linear(3, 1)\n";
    std::string all = isOneModel ? "a=a, o=o" : "a=a, b=b, o=o";
    std::string head = models +
                       "let o = SGD(a.parameters(), lr=0.1, momentum=0.9)\n" +
                       "let l = a(ones(1, 2)).sum()\nl.backward()\no.step()\n";
    std::string tail = "export fn f(x: f32[2]) -> f32[1] = a(x)\n";
    if (!isOneModel)
      tail += "export fn g(x: f32[3]) -> f32[1] = b(x)\n";
    Program saver(head + "save(\"" + path + "\", " + all + ")\n" + tail);
    Module saved(saver);
    Error error;
    EXPECT_EQ(tdc_restore(saved, path.c_str(), &error), TDC_OK) << error.text();
    ASSERT_EQ(tdc_save(saved, path.c_str(), &error), TDC_OK) << error.text();
    Program restorer(head + "restore(\"" + path + "\", " + all + ")\n" + tail);
    Module restored(restorer);
    unlink(path.c_str());
  }
}

} // namespace
