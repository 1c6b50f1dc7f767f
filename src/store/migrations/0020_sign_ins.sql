-- Signed-in browsers: the hash of the cookie and of the access token used to sign in.

create table sign_ins (
    id         text primary key,
    made_with  text not null,
    expires_at integer not null
) without rowid;
