-- Model chosen for a run and its descendants; null if none was chosen.
alter table runs add column model text;
