//===- MinCutTest.cpp - cheapest cuts of small networks -------------------===//

#include "Dialect/TD/Analysis/Placement/MinCut.h"
#include <gtest/gtest.h>

using namespace tdc::td;

namespace {

TEST(MinCutTest, CutsTheCheapestEdgeOfAPath) {
  MinCut network;
  MinCut::Node a = network.addNode(), b = network.addNode();
  network.addEdge(MinCut::source, a, {3});
  network.addEdge(a, b, {2});
  network.addEdge(b, MinCut::sink, {4});
  EXPECT_EQ(network.solve().cost, 2);
  EXPECT_TRUE(network.isOnSourceSide(a));
  EXPECT_FALSE(network.isOnSourceSide(b));
}

TEST(MinCutTest, OfEqualCutsTheSourceSideIsTheSmallest) {
  MinCut network;
  MinCut::Node a = network.addNode(), b = network.addNode(),
               alone = network.addNode();
  network.addEdge(MinCut::source, a, {2});
  network.addEdge(a, b, {2});
  network.addEdge(b, MinCut::sink, {2});
  EXPECT_EQ(network.solve().cost, 2);
  EXPECT_FALSE(network.isOnSourceSide(a));
  EXPECT_FALSE(network.isOnSourceSide(b));
  EXPECT_FALSE(network.isOnSourceSide(alone));
}

TEST(MinCutTest, TiesDecideWhereCostsAreEqual) {
  MinCut network;
  MinCut::Node a = network.addNode(), b = network.addNode();
  network.addEdge(MinCut::source, a, {2, 5});
  network.addEdge(a, b, {2, 1});
  network.addEdge(b, MinCut::sink, {2, 3});
  Capacity cut = network.solve();
  EXPECT_EQ(cut.cost, 2);
  EXPECT_EQ(cut.tie, 1);
  EXPECT_TRUE(network.isOnSourceSide(a));
  EXPECT_FALSE(network.isOnSourceSide(b));
}

TEST(MinCutTest, CostsDecideBeforeTies) {
  MinCut network;
  MinCut::Node a = network.addNode();
  network.addEdge(MinCut::source, a, {1, 1000});
  network.addEdge(a, MinCut::sink, {2, -1000});
  Capacity cut = network.solve();
  EXPECT_EQ(cut.cost, 1);
  EXPECT_EQ(cut.tie, 1000);
  EXPECT_FALSE(network.isOnSourceSide(a));
}

// The flow of the first shortest path must be partly undone.
TEST(MinCutTest, FlowsAreSentBack) {
  MinCut network;
  MinCut::Node a = network.addNode(), b = network.addNode(),
               c = network.addNode(), d = network.addNode();
  network.addEdge(MinCut::source, a, {1});
  network.addEdge(MinCut::source, b, {1});
  network.addEdge(a, c, {1});
  network.addEdge(b, c, {1});
  network.addEdge(a, d, {1});
  network.addEdge(c, MinCut::sink, {1});
  network.addEdge(d, MinCut::sink, {1});
  EXPECT_EQ(network.solve().cost, 2);
}

TEST(MinCutTest, EdgesAreCutInOneDirection) {
  MinCut network;
  MinCut::Node a = network.addNode(), b = network.addNode();
  network.fix(a, /*onSourceSide=*/false);
  network.fix(b, /*onSourceSide=*/true);
  network.addEdge(a, b, {7});
  EXPECT_EQ(network.solve().cost, 0);
  EXPECT_FALSE(network.isOnSourceSide(a));
  EXPECT_TRUE(network.isOnSourceSide(b));
}

} // namespace
