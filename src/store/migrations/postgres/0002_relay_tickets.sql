-- Tickets with which a node opens one connection to the owner of a tree, for a viewer at the node. Each is accepted once, by
-- the node it is for. Nothing of it need survive a crash of the server.
create unlogged table relay_tickets (
    hash    bytea primary key,
    node    uuid not null,
    root_id text collate "C" not null,
    viewer  text not null,
    until   timestamptz not null
);
