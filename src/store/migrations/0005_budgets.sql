-- So many runs there may be below a run, whose number `below` is now counted at each that has any; and the
-- limit of one of its callers that a run is beyond.

alter table runs add column most integer;
alter table runs add column beyond integer;
