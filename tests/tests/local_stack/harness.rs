//! The harness itself: it lets no test end with something left to do.

use emulators::Service::DynamoDb;
use tests::Stack;

#[tokio::test]
#[should_panic(expected = "the test has to end with Stack::stop")]
async fn a_test_that_leaves_its_stack_running_fails() {
    let _stack = Stack::start().await;
}

#[tokio::test]
#[should_panic(expected = "planned faults that never fired")]
async fn a_test_that_plans_a_fault_in_vain_fails() {
    let stack = Stack::start().await;
    stack.cloud.faults().lose_response(DynamoDb, "PutItem", 1);
    stack.stop().await;
}
