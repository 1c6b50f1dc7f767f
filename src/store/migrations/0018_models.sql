-- The model that was chosen for a run and all below it; null where nobody chose.
alter table runs add column model text;
