//! Effects of sending forms, judged by fields, method, button, action URL and heading.

use crate::gate::meaning::effect_class::{EffectClass, EffectJudgement, EffectTrait, FieldKind};
use crate::gate::meaning::intent::Intent;
use crate::gate::request::AssessmentRequest;
use crate::gate::wording::name_intents::NameIntents;
use crate::gate::wording::{name_effects, name_intents, normalize, paths};
use crate::page::request_body::call_names::orders_deletion;
use crate::page::target::{Field, Form, Target};
use crate::page::url::strip_query;

/// Judges a form sent by a button with this name. For Enter in a field, that is the default button.
pub(crate) fn judge_sending(
    form: &Form,
    intents: &NameIntents,
    target: &Target,
    request: &AssessmentRequest<'_>,
) -> EffectJudgement {
    let sending = FormJudgement {
        form,
        named: intents.button_intent(),
        path_intent: action_path_intent(form),
        kinds: field_kinds(form),
        get: form.method.eq_ignore_ascii_case("get"),
        target,
        request,
    };
    sending.judge(intents).sending()
}

/// Judges a control whose own attributes send its form as soon as it is used.
pub(crate) fn judge_self_sending(
    target: &Target,
    request: &AssessmentRequest<'_>,
) -> Option<EffectJudgement> {
    if !target.sends_itself {
        return None;
    }
    // Sends another form of the page, which is unknown.
    let Some(form) = &target.form else { return Some(EffectJudgement::plain(EffectClass::Unknown)) };
    Some(judge_sending(
        form,
        &name_effects::read_graver_name(&target.name, &target.other_name),
        target,
        request,
    ))
}

/// Judges fields by their kinds alone: a card or a password needs no further words.
pub(crate) fn judge_secret_fields(form: &Form) -> Option<EffectJudgement> {
    let kinds = field_kinds(form);
    if kinds.contains(&FieldKind::Card) {
        return Some(EffectJudgement::new(EffectClass::Purchase, Some(Intent::Pay)).sending());
    }
    kinds.contains(&FieldKind::Password).then(|| judge_password_form(form, None, false).sending())
}

/// A form about to be sent.
struct FormJudgement<'a> {
    form: &'a Form,
    /// Meaning of the button's name.
    named: Option<Intent>,
    /// Meaning of the action URL.
    path_intent: Option<Intent>,
    kinds: Vec<FieldKind>,
    get: bool,
    target: &'a Target,
    request: &'a AssessmentRequest<'a>,
}

impl FormJudgement<'_> {
    fn has(&self, kind: FieldKind) -> bool {
        self.kinds.contains(&kind)
    }

    fn has_secret(&self) -> bool {
        self.has(FieldKind::Password) || self.has(FieldKind::Card)
    }

    fn uploads_file(&self) -> bool {
        !self.has_secret() && self.form.fields.iter().any(|field| field.kind == "file" && field.filled)
    }

    fn judge(&self, intents: &NameIntents) -> EffectJudgement {
        let named = self.named;
        if self.is_own_view() {
            return if self.get {
                EffectJudgement::new(EffectClass::Read, named)
            } else {
                cart_effect(named)
            };
        }
        let intent = named.filter(|intent| {
            let says_less = self.url_overrides_button() || (is_sending(*intent) && self.url_takes_money());
            !intent.is_vague() && !says_less
        });
        let intent = intent.or_else(|| self.ticked_deletion()).or_else(|| self.implied_intent());
        if self.uploads_file() && intent.is_none_or(is_sending) {
            return EffectJudgement::new(EffectClass::Upload, Some(Intent::Upload));
        }
        if let Some(judgement) = intent.and_then(|intent| self.by_intent(intent)) {
            return judgement;
        }
        if let Some(judgement) = self.by_fields(intent) {
            return judgement;
        }
        if self.get {
            return EffectJudgement::new(EffectClass::Read, named);
        }
        if named.is_none_or(Intent::is_vague) && name_effects::is_about_cookies(intents, self.target) {
            return cart_effect(Some(Intent::Consent));
        }
        EffectJudgement::new(EffectClass::Submit, intent.or(named))
    }

    /// True if the button saves, and the action leaves every password of the form empty: settings that may have one.
    fn saves_without_password(&self) -> bool {
        let mut fields =
            self.form.fields.iter().filter(|field| classify_field(field) == Some(FieldKind::Password));
        let types_text = !self.request.action.typed_texts().is_empty();
        self.named == Some(Intent::Save) && !self.get && !types_text && fields.all(|field| !field.filled)
    }

    /// Returns the effect of a form whose words say no more: by its fields.
    fn by_fields(&self, intent: Option<Intent>) -> Option<EffectJudgement> {
        let named = self.named;
        if self.has(FieldKind::Card) {
            return Some(EffectJudgement::new(EffectClass::Purchase, Some(Intent::Pay)));
        }
        if self.has(FieldKind::Password) && !self.saves_without_password() {
            let sets = named == Some(Intent::Save) || self.creates();
            let intent = intent.or(sets.then_some(Intent::Save));
            return Some(judge_password_form(self.form, intent, self.creates_account()));
        }
        let sends_text = self.has(FieldKind::Message) && (!self.get || named == Some(Intent::Commit));
        sends_text.then(|| match self.is_talk() {
            true => EffectJudgement::new(EffectClass::Message, Some(Intent::Send)),
            false => EffectJudgement::new(EffectClass::Submit, intent.or(named)),
        })
    }

    /// True if the form changes only the visitor's own cart or view: by its button, or by its action URL if
    /// the button says nothing else. A plain "Buy" that sends to a cart fills it.
    fn is_own_view(&self) -> bool {
        let own =
            |intent| matches!(intent, Some(Intent::Cart | Intent::Filter)) && !self.url_overrides_button();
        let silent = self
            .named
            .is_none_or(|intent| intent.is_vague() || matches!(intent, Intent::Buy | Intent::Delete));
        let plain = !self.has_secret() && !self.has(FieldKind::Message) && !self.has(FieldKind::Personal);
        plain && (own(self.named) || (silent && own(self.path_intent)))
    }

    /// True if the button names the cart or the view and the action URL something graver. The URL counts.
    fn url_overrides_button(&self) -> bool {
        let own = |intent: Intent| intent.is_vague() || intent == Intent::Cart;
        let light = self.named.is_some_and(|intent| matches!(intent, Intent::Cart | Intent::Filter));
        light && !self.get && self.path_intent.is_some_and(|intent| !own(intent))
    }

    /// True if the action URL names a payment: "Send" says then how, and not what.
    fn url_takes_money(&self) -> bool {
        let effect = self.path_intent.and_then(name_effects::intent_effect);
        !self.get && effect == Some(EffectClass::Purchase)
    }

    /// True if the text of a form goes to other people: by its title, its address, its other buttons, a recipient, or
    /// what the text is called. A button that saves is not told by the name of the text alone: it may be a note.
    fn is_talk(&self) -> bool {
        const TALK: [Intent; 3] = [Intent::Send, Intent::Reply, Intent::Post];
        let says = |text: &str| {
            let name = name_intents::read_name(text);
            TALK.iter().any(|intent| name.mentions(*intent)) || name_intents::is_chat(text)
        };
        let by_path = self.path_intent.is_some_and(|intent| TALK.contains(&intent));
        let titled = says(&self.form.name) || says(&self.target.context);
        if by_path || titled || matches!(self.named, Some(Intent::Save | Intent::Step | Intent::Cart)) {
            return by_path || titled;
        }
        let is_recipient = |field: &Field| {
            let name = field.name.to_ascii_lowercase();
            let name = name.rsplit(['.', '[', '-', '_']).next().unwrap_or_default().trim_end_matches(']');
            field.kind == "email"
                || matches!(name, "to" | "recipient" | "recipients" | "cc" | "bcc" | "email")
        };
        let is_words = |field: &Field| field.kind == "textarea" && (says(&field.label) || says(&field.name));
        self.form.fields.iter().any(|field| is_recipient(field) || is_words(field))
    }

    /// Returns the deletion that a ticked box of the form orders: "Delete" beside a row that is saved with others.
    fn ticked_deletion(&self) -> Option<Intent> {
        let orders = |field: &Field| match field.kind.as_str() {
            "checkbox" => field.filled && orders_deletion(&field.name, "on"),
            "hidden" => orders_deletion(&field.name, &field.value),
            _ => false,
        };
        self.form.fields.iter().any(orders).then_some(Intent::Delete)
    }

    /// True if the button or the title says that something new is made.
    fn creates(&self) -> bool {
        const WORDS: [&str; 4] = ["new", "add", "neu", "neues"];
        const STEMS: [&str; 6] = ["create", "register", "створ", "созда", "crear", "utworz"];
        let begins = |text: &str| {
            let first = normalize::tokenize_name(text).into_iter().next();
            first.is_some_and(|token| {
                WORDS.contains(&token.text.as_str()) || STEMS.iter().any(|stem| token.starts_with(stem))
            })
        };
        [&self.target.name, &self.form.name, &self.target.context].into_iter().any(|text| begins(text))
    }

    fn creates_account(&self) -> bool {
        const STEMS: [&str; 10] = [
            "account",
            "user",
            "member",
            "profile",
            "користувач",
            "обліков",
            "пользовател",
            "аккаунт",
            "konto",
            "benutzer",
        ];
        let names = |text: &str| {
            let tokens = normalize::tokenize_name(text);
            tokens.iter().any(|token| STEMS.iter().any(|stem| token.starts_with(stem)))
        };
        let asks_name = |field: &Field| field.kind != "hidden" && names(&field.name.replace(['_', '-'], " "));
        let titled = names(&self.form.name) || names(&self.target.context) || names(&self.target.name);
        self.creates() && (titled || self.form.fields.iter().any(asks_name))
    }

    /// Returns the meaning of a form whose button is vague: by its action URL, its name, or the title above. A button
    /// that saves does what its address ends in, and what a title says first: "Upload, change or remove pictures".
    fn implied_intent(&self) -> Option<Intent> {
        if self.get && !self.has_secret() {
            return None;
        }
        let saves = self.named == Some(Intent::Save);
        let is_light = |intent: Intent| intent == Intent::Cart || (saves && intent == Intent::Upload);
        // "Add user" above new passwords makes an account, and gives nobody access to something.
        let is_account = self.has(FieldKind::Password) && self.creates_account();
        let gives_access =
            |intent: Intent| name_effects::intent_effect(intent) == Some(EffectClass::Permission);
        let telling = |intent: &Intent| {
            let says_less = is_light(*intent) || (is_account && gives_access(*intent));
            !intent.is_vague() && !says_less
        };
        let titled = |text: &str| {
            let name = name_intents::read_name(text);
            let intent = if saves { name.first_intent() } else { name.button_intent() };
            intent.filter(telling)
        };
        self.path_intent
            .filter(|_| !saves || ends_in_deed(&self.form.action))
            .filter(telling)
            .or_else(|| titled(&self.form.name))
            .or_else(|| titled(&self.target.context))
    }

    /// Returns the effect of a meaning, unless the fields say more.
    fn by_intent(&self, intent: Intent) -> Option<EffectJudgement> {
        let light = is_sending(intent) || matches!(intent, Intent::Mark | Intent::Download);
        let fuller = (light && self.has_secret()) || (intent == Intent::SignIn && self.has(FieldKind::Card));
        if fuller || intent == Intent::Cart {
            return None;
        }
        if intent == Intent::Subscribe && self.has_secret() {
            let effect = if self.has(FieldKind::Card) { EffectClass::Purchase } else { EffectClass::Account };
            return Some(EffectJudgement::new(effect, Some(intent)));
        }
        name_effects::named_effect(intent, self.target, self.request)
    }
}

fn cart_effect(named: Option<Intent>) -> EffectJudgement {
    EffectJudgement::new(EffectClass::Submit, named.or(Some(Intent::Cart))).with_trait(EffectTrait::Cart)
}

/// True for words about the manner of sending rather than the content.
fn is_sending(intent: Intent) -> bool {
    matches!(intent, Intent::Send | Intent::Reply | Intent::Post | Intent::Upload)
}

fn fields_with_password(form: &Form) -> impl Iterator<Item = &Field> {
    form.fields.iter().filter(|field| field.kind == "password")
}

/// Judges a form with a password: a login, unless it creates or changes an account, or stores the password.
fn judge_password_form(form: &Form, intent: Option<Intent>, creates_account: bool) -> EffectJudgement {
    let fresh = form.fields.iter().any(|field| field.autocomplete.contains("new-password"));
    let several = fields_with_password(form).count() > 1;
    let sets = intent == Some(Intent::Save);
    if fresh || several {
        let meant = match sets {
            true if creates_account => Some(Intent::Register),
            true => fields_with_password(form).all(|field| field.filled).then_some(Intent::Password),
            false => Some(Intent::Password),
        };
        let said = intent.filter(|_| !sets);
        return EffectJudgement::new(EffectClass::Account, said.or(meant).or(intent));
    }
    let intent = if sets { Intent::Save } else { Intent::SignIn };
    EffectJudgement::new(EffectClass::Credentials, Some(intent))
}

/// Returns the path of a form's address, without the first slash.
fn action_path(action: &str) -> &str {
    let path = strip_query(action);
    path.split_once("://").map_or(path, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path))
}

/// True if the last part of an address says what it does: `/orders/12/cancel`, but not `/orders/12`.
fn ends_in_deed(action: &str) -> bool {
    let last = action_path(action).split('/').rfind(|part| !part.is_empty()).unwrap_or_default();
    last.split(|c: char| !c.is_ascii_alphabetic())
        .any(|part| paths::segment_intent(&part.to_ascii_lowercase()).is_some())
}

/// Returns the meaning of a form's action URL.
fn action_path_intent(form: &Form) -> Option<Intent> {
    let words: Vec<String> = action_path(&form.action)
        .split(|c: char| !c.is_ascii_alphabetic())
        .map(str::to_ascii_lowercase)
        .collect();
    let is_step = paths::is_checkout_step(&words);
    let hints: Vec<Intent> = words
        .iter()
        .filter_map(|part| paths::segment_intent(part))
        .filter(|intent| !(is_step && *intent == Intent::Order))
        .collect();
    // Removing an item from a cart deletes nothing.
    let cart = hints.contains(&Intent::Cart);
    hints.into_iter().filter(|intent| !(cart && *intent == Intent::Delete)).min()
}

/// Returns the kinds of fields of a form.
pub(crate) fn field_kinds(form: &Form) -> Vec<FieldKind> {
    let mut found = Vec::new();
    for kind in form.fields.iter().filter_map(classify_field) {
        if !found.contains(&kind) {
            found.push(kind);
        }
    }
    found
}

fn classify_field(field: &Field) -> Option<FieldKind> {
    let name = field.name.to_ascii_lowercase();
    let auto = field.autocomplete.to_ascii_lowercase();
    if field.card || auto.contains("cc-") {
        return Some(FieldKind::Card);
    }
    if field.secret || field.kind == "password" || auto.contains("password") || auto.contains("one-time-code")
    {
        return Some(FieldKind::Password);
    }
    let personal = [
        "email",
        "tel",
        "street-address",
        "address-line",
        "postal-code",
        "given-name",
        "family-name",
        "username",
    ];
    match field.kind.as_str() {
        "file" => Some(FieldKind::File),
        "hidden" | "submit" | "submitter" | "button" | "search" => None,
        "textarea" => Some(FieldKind::Message),
        "email" | "tel" => Some(FieldKind::Personal),
        _ if personal.iter().any(|part| auto.contains(part)) => Some(FieldKind::Personal),
        _ if ["email", "phone", "address", "username"].iter().any(|part| name.contains(part)) => {
            Some(FieldKind::Personal)
        }
        _ => None,
    }
}
