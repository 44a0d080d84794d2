// The model of `startup` for IREE. The weights are parameters, read from a file
// at run time.
util.global private @w1 = #flow.parameter.named<"model"::"fc1.weight"> : tensor<50x10xf32>
util.global private @b1 = #flow.parameter.named<"model"::"fc1.bias"> : tensor<50xf32>
util.global private @w2 = #flow.parameter.named<"model"::"fc2.weight"> : tensor<1x50xf32>
util.global private @b2 = #flow.parameter.named<"model"::"fc2.bias"> : tensor<1xf32>

func.func @main(%x: tensor<100x10xf32>) -> tensor<f32> {
  %w1 = util.global.load @w1 : tensor<50x10xf32>
  %b1 = util.global.load @b1 : tensor<50xf32>
  %w2 = util.global.load @w2 : tensor<1x50xf32>
  %b2 = util.global.load @b2 : tensor<1xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<100x50xf32>
  %xw = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [1]
      : (tensor<100x10xf32>, tensor<50x10xf32>) -> tensor<100x50xf32>
  %b1s = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<50xf32>) -> tensor<100x50xf32>
  %pre = stablehlo.add %xw, %b1s : tensor<100x50xf32>
  %h = stablehlo.maximum %pre, %zeros : tensor<100x50xf32>
  %hw = stablehlo.dot_general %h, %w2, contracting_dims = [1] x [1]
      : (tensor<100x50xf32>, tensor<1x50xf32>) -> tensor<100x1xf32>
  %b2s = stablehlo.broadcast_in_dim %b2, dims = [1] : (tensor<1xf32>) -> tensor<100x1xf32>
  %y = stablehlo.add %hw, %b2s : tensor<100x1xf32>
  %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add
      across dimensions = [0, 1]
      : (tensor<100x1xf32>, tensor<f32>) -> tensor<f32>
  return %sum : tensor<f32>
}
