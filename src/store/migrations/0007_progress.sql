-- How far a run has come by its own account, from 0 to 1.

alter table runs add column progress real;
