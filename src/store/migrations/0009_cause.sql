-- Why a run failed, for programs: `error`, `error_type` and maybe `traceback`.

alter table runs add column cause text;
