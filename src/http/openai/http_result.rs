//! Answer of the OpenAI-compatible API.

use crate::http::problem::OpenAi;
use actix_web::HttpResponse;

pub(crate) type Answered = Result<HttpResponse, OpenAi>;
