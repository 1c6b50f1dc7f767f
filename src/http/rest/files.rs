//! `/api/runs/{id}/files`: files that a run was given or has downloaded. Files are served as attachments
//! only, and a name cannot leave the folder.

use crate::blobs::BlobError;
use crate::files::{FilesError, RunFiles, StoredFile, modified_at};
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::run_bodies;
use crate::http::service::Service;
use crate::ids;
use crate::ids::RunId;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    self, Charset, ContentDisposition, DispositionParam, DispositionType, ExtendedValue,
};
use actix_web::web::{self, Bytes};
use actix_web::{HttpResponse, body::SizedStream};
use futures_util::{Stream, StreamExt, stream};
use serde_json::json;
use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;

/// Bytes read at once.
const PIECE: usize = 64 * 1024;

/// List the files of a run.
#[utoipa::path(get, path = "/api/runs/{id}/files", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = run_bodies::Page<run_bodies::RunFile>),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
))]
pub async fn list(service: web::Data<Service>, id: web::Path<String>) -> HttpResult {
    let folder = folder(&service, id.into_inner()).await?;
    let files = web::block(move || {
        let at = |file: &StoredFile| modified_at(&folder.path(file));
        let row = |file: StoredFile| json!({"name": file.name, "size": file.size, "at": at(&file).map(|at| at.rfc3339())});
        folder.list().into_iter().map(row).collect::<Vec<_>>()
    });
    let items = files.await.map_err(|fault| Problem::internal(&fault))?;
    Ok(HttpResponse::Ok().json(json!({"items": items, "cursor": null})))
}

/// Download a file.
#[utoipa::path(get, path = "/api/runs/{id}/files/{name}", tag = "runs",
    params(("id" = String, Path), ("name" = String, Path)),
    responses(
        (status = 200, content_type = "application/octet-stream", body = [u8]),
        (status = 404, description = "There is no such file.", body = run_bodies::Fault),
))]
pub async fn get_file(service: web::Data<Service>, path: web::Path<(String, String)>) -> HttpResult {
    let (id, name) = path.into_inner();
    let folder = folder(&service, id).await?;
    let found = web::block(move || {
        folder.find(&name).and_then(|(path, stored)| Some((File::open(path).ok()?, stored)))
    });
    let Some((file, stored)) = found.await.map_err(|fault| Problem::internal(&fault))? else {
        return Err(Problem::not_found("not_found", String::from("the run has no file with this name")));
    };
    Ok(HttpResponse::Ok()
        .content_type("application/octet-stream")
        .insert_header(saved_as(&stored.name))
        .insert_header((header::CACHE_CONTROL, "private, no-store"))
        .body(SizedStream::new(stored.size, read(file, stored.size))))
}

/// Give the run a file. It is stored under a safe, unique name, which is returned.
#[utoipa::path(post, path = "/api/runs/{id}/files/{name}", tag = "runs",
    params(("id" = String, Path), ("name" = String, Path)),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses(
        (status = 201, body = run_bodies::GivenFile),
        (status = 404, description = "There is no such run.", body = run_bodies::Fault),
        (status = 413, description = "It is too large, or the run's files are full.", body = run_bodies::Fault),
        (status = 507, description = "The disk is full.", body = run_bodies::Fault),
))]
pub async fn give(
    service: web::Data<Service>,
    path: web::Path<(String, String)>,
    mut body: web::Payload,
) -> HttpResult {
    let (id, name) = path.into_inner();
    let root = service.run(&RunId::from(id)).await?.root;
    let mut stored = receive_file(files_of(&service, &root).await?, name, &mut body).await?;
    let renamed = service.files.publish(&root).await.map_err(|fault| unreachable_blobs(&fault))?;
    if let Some((_, name)) = renamed.into_iter().find(|(name, _)| *name == stored.name) {
        stored.name = name;
    }
    Ok(HttpResponse::Created().json(stored))
}

/// Upload a file before its run starts. Pass the returned `id` in `files` when starting the run, or in
/// `user_message`. A file that no run takes is deleted after a day.
#[utoipa::path(post, path = "/api/files/{file}", tag = "runs",
    params(("file" = String, Path, description = "The file's name.")),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses(
        (status = 201, body = run_bodies::StagedFile),
        (status = 413, description = "It is too large, or too much is waiting.", body = run_bodies::Fault),
        (status = 507, description = "The disk is full.", body = run_bodies::Fault),
))]
pub async fn stage(
    service: web::Data<Service>,
    name: web::Path<String>,
    mut body: web::Payload,
) -> HttpResult {
    let file_store = service.files.clone();
    let staging =
        web::block(move || file_store.staging()).await.map_err(|fault| Problem::internal(&fault))?;
    let (id, folder) = staging.map_err(|fault| files_problem(&fault))?;
    match receive_file(folder, name.into_inner(), &mut body).await {
        Ok(stored) => {
            Ok(HttpResponse::Created().json(json!({"id": id, "name": stored.name, "size": stored.size})))
        }
        Err(problem) => {
            service.files.unstage(&id);
            Err(problem)
        }
    }
}

/// Delete an uploaded file that no run has taken.
#[utoipa::path(delete, path = "/api/files/{file}", tag = "runs",
    params(("file" = String, Path, description = "The file's id.")),
    responses(
        (status = 204),
        (status = 404, description = "No file of this id is waiting.", body = run_bodies::Fault),
))]
pub async fn unstage(service: web::Data<Service>, id: web::Path<String>) -> HttpResult {
    let file_store = service.files.clone();
    let gone =
        web::block(move || file_store.unstage(&id)).await.map_err(|fault| Problem::internal(&fault))?;
    if gone {
        return Ok(HttpResponse::NoContent().finish());
    }
    Err(Problem::not_found("unknown_file", String::from("no file of this id is waiting for a run")))
}

/// Reads the body into the folder, piece by piece.
async fn receive_file(
    folder: RunFiles,
    name: String,
    body: &mut web::Payload,
) -> Result<StoredFile, Problem> {
    let coming = PartialUpload::begin(&folder)?;
    let mut size = 0u64;
    while let Some(piece) = body.next().await {
        let piece = piece
            .map_err(|fault| Problem::bad_request("bad_body", format!("the file was cut off: {fault}")))?;
        size = size.saturating_add(piece.len() as u64);
        if size > folder.max {
            return Err(files_problem(&FilesError::TooLarge(folder.max / (1024 * 1024))));
        }
        coming.write(piece).await?;
    }
    let path = coming.path.clone();
    let taken =
        web::block(move || folder.move_in(&path, &name)).await.map_err(|fault| Problem::internal(&fault))?;
    taken.map_err(|fault| files_problem(&fault))
}

/// An upload in progress; its partial file is removed if the upload is cut off.
struct PartialUpload {
    path: PathBuf,
    file: std::sync::Arc<File>,
}

impl PartialUpload {
    fn begin(folder: &RunFiles) -> Result<Self, Problem> {
        let part = folder.incoming().and_then(|_| {
            let path = folder.incoming_path(&format!("given-{}", ids::token()));
            Ok(Self { file: std::sync::Arc::new(File::create_new(&path)?), path })
        });
        part.map_err(|fault| files_problem(&fault.into()))
    }

    async fn write(&self, piece: Bytes) -> Result<(), Problem> {
        let file = std::sync::Arc::clone(&self.file);
        let written = web::block(move || (&*file).write_all(&piece)).await;
        written.map_err(|fault| Problem::internal(&fault))?.map_err(|fault| files_problem(&fault.into()))
    }
}

impl Drop for PartialUpload {
    fn drop(&mut self) {
        // The file is gone already if it was moved to the run's files.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Files belong to the run tree.
async fn folder(service: &Service, id: String) -> Result<RunFiles, Problem> {
    let run = service.run(&RunId::from(id)).await?;
    files_of(service, &run.root).await
}

/// Returns the folder of a run tree, with the files that other nodes have stored.
async fn files_of(service: &Service, root: &RunId) -> Result<RunFiles, Problem> {
    service.files.fetch(root).await.map_err(|fault| unreachable_blobs(&fault))?;
    Ok(service.files.run_files(root))
}

fn unreachable_blobs(fault: &BlobError) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "not_ready", fault.to_string())
}

/// Converts the error to a problem.
pub fn files_problem(fault: &FilesError) -> Problem {
    match fault {
        FilesError::TooLarge(_) | FilesError::Full(_) | FilesError::TooMany(_) => {
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", fault.to_string())
        }
        FilesError::Disk(cause) if cause.kind() == std::io::ErrorKind::StorageFull => {
            Problem::new(StatusCode::INSUFFICIENT_STORAGE, "disk_full", String::from("the disk is full"))
        }
        FilesError::Disk(cause) => Problem::internal(cause),
    }
}

fn saved_as(name: &str) -> ContentDisposition {
    let plain = |c: char| if c.is_ascii_alphanumeric() || " .-_()".contains(c) { c } else { '_' };
    let value = name.as_bytes().to_vec();
    ContentDisposition {
        disposition: DispositionType::Attachment,
        parameters: vec![
            DispositionParam::Filename(name.chars().map(plain).collect()),
            DispositionParam::FilenameExt(ExtendedValue {
                charset: Charset::Ext(String::from("UTF-8")),
                language_tag: None,
                value,
            }),
        ],
    }
}

/// Streams at most `size` bytes of a file, one piece at a time.
fn read(file: File, size: u64) -> impl Stream<Item = Result<Bytes, actix_web::Error>> {
    stream::try_unfold(file.take(size), |file| async move {
        let read = web::block(move || {
            let mut file = file;
            let mut piece = vec![0; PIECE];
            let length = file.read(&mut piece)?;
            piece.truncate(length);
            Ok::<_, std::io::Error>((piece, file))
        });
        let (piece, file) = read.await??;
        Ok((!piece.is_empty()).then(|| (Bytes::from(piece), file)))
    })
}
