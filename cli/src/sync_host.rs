//! The SDK puts `sync-` before the host of StartSyncExecution. AWS has such a host; what stands in for AWS has not.

use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::Intercept;
use aws_smithy_runtime_api::client::interceptors::context::BeforeTransmitInterceptorContextMut;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::config_bag::ConfigBag;

/// Takes it off again.
#[derive(Debug)]
pub(crate) struct SyncHost;

#[aws_smithy_runtime_api::client::interceptors::dyn_dispatch_hint]
impl Intercept for SyncHost {
    fn name(&self) -> &'static str {
        "SyncHost"
    }

    fn modify_before_signing(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _components: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let request = context.request_mut();
        if let Some(uri) = without_prefix(request.uri()) {
            request.set_uri(uri)?;
        }
        Ok(())
    }
}

fn without_prefix(uri: &str) -> Option<String> {
    let (scheme, rest) = uri.split_once("://")?;
    Some(format!("{scheme}://{}", rest.strip_prefix("sync-")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_hosts_prefix_is_taken_off() {
        let of = |uri| without_prefix(uri);
        assert_eq!(
            of("http://sync-127.0.0.1:4566/").as_deref(),
            Some("http://127.0.0.1:4566/")
        );
        assert_eq!(of("http://localhost/sync-"), None);
        assert_eq!(of("/sync-"), None);
    }
}
