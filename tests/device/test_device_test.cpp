// The test device itself: it must be as unforgiving as a real one.
#include "test_device.h"

#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/Event.h>
#include <gtest/gtest.h>
#include <torch/script.h>

namespace graphnet::test_device {
namespace {

class TestDevice : public testing::Test {
 protected:
  TestDevice() { install(); }
  ~TestDevice() override { configure({}); }

  static at::Tensor on_device(const at::Tensor& tensor) { return tensor.to(the_device()); }
  static at::Tensor numbers(at::IntArrayRef shape = {4, 6}) {
    at::manual_seed(1);
    return at::randn(shape);
  }
  static void synchronize() { at::accelerator::synchronizeDevice(0); }
  static std::int64_t bytes(bool peak) {
    const auto stats = at::accelerator::getDeviceStats(0).allocated_bytes[0];
    return peak ? stats.peak : stats.current;
  }
};

TEST_F(TestDevice, IsTheAcceleratorOfTheProcess) {
  EXPECT_EQ(at::accelerator::getAccelerator(), kDeviceType);
  EXPECT_EQ(at::Device("test_device"), at::Device(kDeviceType));
}

TEST_F(TestDevice, GivesTheResultsOfTheCpuToTheBit) {
  const auto compute = [](const at::Tensor& x) {
    const at::Tensor image = x.reshape({1, 2, 3, 4});
    const at::Tensor kernel = at::ones({3, 2, 2, 2}, x.options());
    return at::conv2d(image, kernel).softmax(1).flatten(1).matmul(at::ones({18, 2}, x.options())).t().contiguous();
  };
  const at::Tensor result = compute(on_device(numbers()));
  EXPECT_TRUE(result.is_privateuseone());
  EXPECT_TRUE(at::equal(result.cpu(), compute(numbers())));
}

TEST_F(TestDevice, WritesThroughViewsAndGrowsOutputs) {
  at::Tensor x = on_device(numbers());
  x.t().slice(0, 1, 3).zero_();
  at::Tensor sum = at::empty({0}, x.options());
  at::add_out(sum, x, x);
  at::Tensor expected = numbers();
  expected.t().slice(0, 1, 3).zero_();
  EXPECT_TRUE(at::equal(sum.cpu(), expected + expected));
}

TEST_F(TestDevice, RefusesOperandsOfTheHost) {
  EXPECT_THROW(at::add(on_device(numbers()), numbers()), c10::Error);
}

TEST_F(TestDevice, RunsTorchScript) {
  torch::jit::Module module("m");
  module.define("def forward(self, x):\n    return torch.softmax(torch.relu(x @ x.t()), -1)\n");
  const at::Tensor expected = module.forward({numbers()}).toTensor();
  module.to(the_device());
  EXPECT_TRUE(at::equal(module.forward({on_device(numbers())}).toTensor().cpu(), expected));
}

TEST_F(TestDevice, ACopyThatNobodyWaitedForIsNotThere) {
  configure(parse_settings("operator=20ms"));
  at::Tensor host = at::zeros({4, 6});
  host.copy_(on_device(numbers()).relu(), /*non_blocking=*/true);
  EXPECT_TRUE(host.isnan().all().item<bool>());
  synchronize();
  EXPECT_TRUE(at::equal(host, numbers().relu()));
}

TEST_F(TestDevice, ABlockingCopyWaits) {
  configure(parse_settings("operator=20ms"));
  EXPECT_TRUE(at::equal(on_device(numbers()).relu().cpu(), numbers().relu()));
}

TEST_F(TestDevice, AStreamThatDoesNotWaitReadsWhatIsNotThereYet) {
  configure(parse_settings("operator=400ms"));
  static const auto relu_elsewhere = c10::Dispatcher::singleton()
                                         .findSchemaOrThrow("graphnet_test_device::relu_elsewhere", "")
                                         .typed<at::Tensor(const at::Tensor&)>();
  const at::Tensor x = on_device(numbers());
  EXPECT_TRUE(relu_elsewhere.call(x).cpu().isnan().all().item<bool>());
  const at::Tensor result = relu_elsewhere.call(x);
  synchronize();
  EXPECT_TRUE(at::equal(result.cpu(), numbers().relu()));
}

TEST_F(TestDevice, EventsKnowTheCostsBetweenThem) {
  configure(parse_settings("operator=200ms,idle_gaps=off"));
  const at::Tensor x = on_device(numbers());
  c10::Event start(kDeviceType, c10::EventFlag::BACKEND_DEFAULT);
  c10::Event end(kDeviceType, c10::EventFlag::BACKEND_DEFAULT);
  start.record(at::accelerator::getCurrentStream(0));
  x.relu().relu();
  end.record(at::accelerator::getCurrentStream(0));
  EXPECT_THROW(start.elapsedTime(end), c10::Error);
  end.synchronize();
  EXPECT_DOUBLE_EQ(start.elapsedTime(end), 400);
}

TEST_F(TestDevice, EventsWithoutTimingHaveNoElapsedTime) {
  c10::Event start(kDeviceType, c10::EventFlag::PYTORCH_DEFAULT);
  c10::Event end(kDeviceType, c10::EventFlag::PYTORCH_DEFAULT);
  start.record(at::accelerator::getCurrentStream(0));
  end.record(at::accelerator::getCurrentStream(0));
  end.synchronize();
  EXPECT_THROW(start.elapsedTime(end), c10::Error);
}

TEST_F(TestDevice, AnErrorComesUpWhereTheWorkIsWaitedForAndStays) {
  configure(parse_settings("operator=20ms,error=aten::relu:2"));
  const at::Tensor x = on_device(numbers());
  EXPECT_NO_THROW(x.relu().relu());
  EXPECT_THROW(synchronize(), c10::AcceleratorError);
  EXPECT_THROW(x.relu(), c10::AcceleratorError);
  EXPECT_THROW(x.cpu(), c10::AcceleratorError);
}

TEST_F(TestDevice, MemoryEndsAtTheCapacityAndIsThereAgainAfterwards) {
  configure(parse_settings("capacity=1M"));
  at::Tensor half = at::empty({1 << 17}, at::device(the_device()).dtype(at::kFloat));
  EXPECT_THROW(at::empty({1 << 18}, half.options()), c10::OutOfMemoryError);
  half.reset();
  EXPECT_NO_THROW(at::empty({1 << 18}, at::device(the_device()).dtype(at::kFloat)));
}

TEST_F(TestDevice, KnowsThePeakOfItsMemory) {
  at::accelerator::resetPeakStats(0);
  const std::int64_t before = bytes(/*peak=*/false);
  at::empty({1 << 18}, at::device(the_device()).dtype(at::kFloat)).reset();
  EXPECT_EQ(bytes(/*peak=*/false), before);
  EXPECT_EQ(bytes(/*peak=*/true), before + (1 << 20));
}

TEST(TestDeviceSettings, ReadWhatTheVariableSays) {
  const Settings settings = parse_settings("capacity=64M,operator=2ms,wake_up=30us,idle_gaps=off,error=aten::relu:3");
  EXPECT_EQ(settings.capacity, std::size_t{64} << 20);
  EXPECT_EQ(settings.operator_cost, std::chrono::milliseconds(2));
  EXPECT_EQ(settings.wake_up, std::chrono::microseconds(30));
  EXPECT_FALSE(settings.idle_gaps);
  EXPECT_EQ(settings.error.operator_name, "aten::relu");
  EXPECT_EQ(settings.error.occurrence, 3);
}

TEST(TestDeviceSettings, AreRefusedWhereTheyAreWrong) {
  for (const char* text : {"capacity", "capacity=-1", "capacity=64X", "operator=2", "colour=red", "error=aten::relu",
                           "error=any:0", "idle_gaps=maybe"}) {
    EXPECT_THROW(parse_settings(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace graphnet::test_device
