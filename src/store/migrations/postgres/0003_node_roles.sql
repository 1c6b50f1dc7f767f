-- The role of a node in its settings, and whether it gives its trees to others.
alter table nodes add column role text not null default 'all';
alter table nodes add column draining boolean not null default false;
