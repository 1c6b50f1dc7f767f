//! Effects of sending forms, judged by fields, method, button, action URL and heading.

use crate::gate::meaning::effect_class::{EffectClass, EffectJudgement, EffectTrait, FieldKind};
use crate::gate::meaning::intent::Intent;
use crate::gate::request::AssessmentRequest;
use crate::gate::wording::name_intents::NameIntents;
use crate::gate::wording::{name_effects, name_intents, paths};
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
    kinds.contains(&FieldKind::Password).then(|| judge_password_form(form, None).sending())
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
        let intent = intent.or_else(|| self.implied_intent());
        if self.uploads_file() && intent.is_none_or(is_sending) {
            return EffectJudgement::new(EffectClass::Upload, Some(Intent::Upload));
        }
        if let Some(judgement) = intent.and_then(|intent| self.by_intent(intent)) {
            return judgement;
        }
        if self.has(FieldKind::Card) {
            return EffectJudgement::new(EffectClass::Purchase, Some(Intent::Pay));
        }
        if self.has(FieldKind::Password) {
            return judge_password_form(self.form, intent);
        }
        if self.has(FieldKind::Message) && (!self.get || named == Some(Intent::Commit)) {
            return EffectJudgement::new(EffectClass::Message, Some(Intent::Send));
        }
        if self.get {
            return EffectJudgement::new(EffectClass::Read, named);
        }
        if named.is_none_or(Intent::is_vague) && name_effects::is_about_cookies(intents, self.target) {
            return cart_effect(Some(Intent::Consent));
        }
        EffectJudgement::new(EffectClass::Submit, intent.or(named))
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

    /// Returns the meaning of a form whose button is vague: by its action URL, its name, or the title above.
    fn implied_intent(&self) -> Option<Intent> {
        if self.get && !self.has_secret() {
            return None;
        }
        let telling = |intent: &Intent| !intent.is_vague() && *intent != Intent::Cart;
        let titled = |text: &str| name_intents::read_name(text).button_intent().filter(telling);
        self.path_intent
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

/// Judges a form with a password: a login, unless it creates or changes an account.
fn judge_password_form(form: &Form, intent: Option<Intent>) -> EffectJudgement {
    let fresh = form.fields.iter().any(|field| field.autocomplete.contains("new-password"));
    let several = form.fields.iter().filter(|field| field.kind == "password").count() > 1;
    if fresh || several {
        return EffectJudgement::new(EffectClass::Account, intent.or(Some(Intent::Password)));
    }
    EffectJudgement::new(EffectClass::Credentials, Some(Intent::SignIn))
}

/// Returns the meaning of a form's action URL.
fn action_path_intent(form: &Form) -> Option<Intent> {
    let path = strip_query(&form.action);
    let path =
        path.split_once("://").map_or(path, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
    let hints: Vec<Intent> = path
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter_map(|part| paths::segment_intent(&part.to_ascii_lowercase()))
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
