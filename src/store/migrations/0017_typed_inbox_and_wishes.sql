-- Kind of each inbox row: words, plan_edit, task_cancel or hand_back. Earlier versions marked the kind by a
-- prefix of the text.

alter table inbox add column kind text not null default 'words';
update inbox set kind = 'plan_edit', text = substr(text, 12)
    where substr(text, 1, 11) = char(1) || 'plan_edit ' and json_valid(substr(text, 12));
update inbox set kind = 'task_cancel', text = substr(text, 14)
    where substr(text, 1, 13) = char(1) || 'task_cancel ';
update inbox set kind = 'hand_back'
    where substr(text, 1, 32) = 'The person handed the page back;' or substr(text, 1, 26) = 'Людина повернула сторінку;';

-- The same for answers that are reports of a page handed back.
update questions set answer = json_set(answer, '$.handed_back', json('true'))
    where answer is not null and (answer ->> '$.message' like 'The person handed the page back;%'
                                  or answer ->> '$.message' like 'Людина повернула сторінку;%');

-- The same in recordings of steps. Inside a JSON string the quotes would be escaped.
update heard set body = replace(replace(replace(replace(body,
        '"text":"\u0001plan_edit ', '"kind":"plan_edit","text":"'),
        '"text":"\u0001task_cancel ', '"kind":"task_cancel","text":"'),
        '"text":"The person handed the page back;', '"kind":"hand_back","text":"The person handed the page back;'),
        '"text":"Людина повернула сторінку;', '"kind":"hand_back","text":"Людина повернула сторінку;')
    where instr(body, '"text":"\u0001') or instr(body, '"text":"The person handed the page back;')
        or instr(body, '"text":"Людина повернула сторінку;');
update heard set body = replace(body, '"answer":{"done":true,"message":"', '"handed_back":true,"answer":{"done":true,"message":"')
    where instr(body, '"answer":{"done":true,"message":"The person handed the page back;')
        or instr(body, '"answer":{"done":true,"message":"Людина повернула сторінку;');
update steps set changes = replace(replace(replace(changes,
        '{"note":"The person handed the page back;', '{"handed_back":"The person handed the page back;'),
        '{"note":"Людина повернула сторінку;', '{"handed_back":"Людина повернула сторінку;'),
        '{"note":"the person changed the plan; go by it as it is now"}', '"plan_edited"')
    where instr(changes, '{"note":"The person handed the page back;')
        or instr(changes, '{"note":"Людина повернула сторінку;')
        or instr(changes, '{"note":"the person changed the plan; go by it as it is now"}');

-- User commands that a run has not carried out yet: stop, pause or resume. A newer command replaces an older
-- one. One command to a run tree has the same number in all of its runs.

create table wishes (
    run_id text primary key,
    n      integer not null,
    wish   text not null
) without rowid;
