//! Telling a running partner what to do, over HTTP, on a port of its own: a connection to the partner itself may be reset
//! before a request is read.
//!
//! | request | what it does |
//! | --- | --- |
//! | `PUT /_script` | plays the script in its body, from its first step on |
//! | `POST /_release` | lets everything go on that is held |
//! | `GET /_log` | the log |
//! | `DELETE /_log` | forgets what is over |

use std::io;

use tokio::net::TcpStream;

use crate::{
    answer::{Addressee, Answer, Body},
    connection::{Connection, Request},
    script::Script,
    server::Stage,
};

/// Serves one connection of the control port until its client closes it.
pub(crate) async fn serve(stream: TcpStream, stage: &Stage) -> io::Result<()> {
    let mut connection = Connection::new(stream);
    while let Some(request) = connection.request(&stage.journal).await? {
        let answer = answer(&request, stage);
        let wire = answer.wire(&Addressee {
            nonce: "",
            seq: 0,
            head_only: false,
        });
        connection.write(&[wire.head, wire.body].concat()).await?;
        if !request.keeps_alive {
            return connection.finish().await;
        }
    }
    Ok(())
}

fn answer(request: &Request, stage: &Stage) -> Answer {
    match (request.method.as_str(), request.path()) {
        ("PUT", "/_script") => match serde_json::from_slice::<Script>(&request.body) {
            Ok(script) => {
                stage.set(script);
                done()
            }
            Err(error) => refusal(400, &error.to_string()),
        },
        ("POST", "/_release") => {
            stage.release();
            done()
        }
        ("GET", "/_log") => match serde_json::to_string(&stage.journal.log()) {
            // Whatever text stands in the log is not a place-holder: it goes out as bytes.
            Ok(log) => Answer {
                body: Body::Binary {
                    base64: log.into_bytes(),
                },
                ..Answer::default()
            },
            Err(error) => refusal(500, &error.to_string()),
        },
        ("DELETE", "/_log") => {
            stage.journal.clear();
            done()
        }
        _ => refusal(
            404,
            "there are PUT /_script, POST /_release, GET /_log and DELETE /_log",
        ),
    }
}

fn done() -> Answer {
    Answer {
        status: 204,
        content_type: None,
        ..Answer::default()
    }
}

fn refusal(status: u16, message: &str) -> Answer {
    Answer::new(status, serde_json::json!({ "message": message }).to_string())
}
