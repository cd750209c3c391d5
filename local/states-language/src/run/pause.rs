//! Giving up the thread for a moment, on any runtime.

use std::future::poll_fn;
use std::task::Poll;

/// Comes back after the runtime had a chance to run something else.
pub(super) async fn let_others_run() {
    let mut paused = false;
    poll_fn(|context| {
        if std::mem::replace(&mut paused, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
