//! Answer of the OpenAI-compatible API.

use crate::http::problem::OpenAi;
use actix_web::HttpResponse;

pub(crate) type OpenAiResult = Result<HttpResponse, OpenAi>;
