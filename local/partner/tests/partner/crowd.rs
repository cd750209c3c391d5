//! Many clients at once.

use crate::raw::{DEADLINE, Raw};
use scripted_partner::{Answer, Behaviour, Partner};

#[tokio::test]
async fn it_holds_a_thousand_connections_at_once() {
    let partner = Partner::start(Behaviour::hang()).unwrap();
    let mut clients: Vec<_> = (0..1000)
        .map(|_| {
            let mut raw = Raw::connect(partner.address());
            raw.get("/");
            raw
        })
        .collect();
    partner.wait_for_hits(1000, DEADLINE).await.unwrap();
    assert_eq!(
        (partner.hits(), partner.under_way(), partner.max_concurrent_seen()),
        (1000, 1000, 1000)
    );
    partner.release();
    for client in &mut clients {
        assert!(client.answer().0.starts_with("HTTP/1.1 200 "));
    }
    partner.wait_until_idle(DEADLINE).await.unwrap();
    assert_eq!((partner.under_way(), partner.max_concurrent_seen()), (0, 1000));
}

#[tokio::test]
async fn requests_one_after_another_are_never_concurrent_and_never_overlap() {
    let partner = Partner::start(Answer::default()).unwrap();
    for _ in 0..50 {
        let mut raw = Raw::connect(partner.address());
        raw.get("/");
        raw.answer();
    }
    assert_eq!((partner.hits(), partner.max_concurrent_seen()), (50, 1));
    let log = partner.log();
    assert!(log.entries.windows(2).all(|pair| !pair[0].overlaps(&pair[1])));
}

#[tokio::test]
async fn two_requests_at_once_overlap() {
    let partner = Partner::start(Behaviour::hang()).unwrap();
    let mut clients = [Raw::connect(partner.address()), Raw::connect(partner.address())];
    for client in &mut clients {
        client.get("/");
    }
    partner.wait_for_hits(2, DEADLINE).await.unwrap();
    let overlap = |partner: &Partner| {
        let log = partner.log();
        log.entries[0].overlaps(&log.entries[1])
    };
    assert!(overlap(&partner), "while both are under way");
    partner.release();
    partner.wait_until_idle(DEADLINE).await.unwrap();
    assert!(overlap(&partner), "and afterwards");
}
