-- Progress reported by a run itself, from 0 to 1.

alter table runs add column progress real;
