-- Machine-readable reason of a failure: `error`, `error_type` and optionally `traceback`.

alter table runs add column cause text;
