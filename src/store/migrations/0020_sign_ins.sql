-- Browsers that have signed in: the hash of each one's cookie, and of the token that it showed.

create table sign_ins (
    id         text primary key,
    made_with  text not null,
    expires_at integer not null
) without rowid;
