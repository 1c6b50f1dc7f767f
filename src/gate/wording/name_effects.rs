//! Effects judged by the name of an element and its surroundings.

use crate::gate::meaning::effect_class::{EffectClass, EffectJudgement, EffectTrait};
use crate::gate::meaning::intent::Intent;
use crate::gate::request::AssessmentRequest;
use crate::gate::wording::money;
use crate::gate::wording::name_intents::NameIntents;
use crate::gate::wording::normalize::Token;
use crate::gate::wording::{name_intents, normalize, paths};
use crate::page::target::Target;
use crate::page::url::strip_query;
use url::Url;

/// Returns the effect of a name where no form is sent; `None` if it only changes what is shown.
pub(crate) fn named_effect(
    intent: Intent,
    target: &Target,
    request: &AssessmentRequest<'_>,
) -> Option<EffectJudgement> {
    let judgement = EffectJudgement::new(intent_effect(intent)?, Some(intent));
    // Without typed text there is nothing to send; the button opens the place to type it.
    let typed = request.page.filled || request.page.secrets || target.submits;
    if !typed && matches!(intent, Intent::SignIn | Intent::Register | Intent::Reply) {
        return Some(EffectJudgement::new(EffectClass::Input, Some(intent)));
    }
    if intent == Intent::Subscribe && !has_price(target) {
        return Some(EffectJudgement::new(EffectClass::Submit, Some(intent)));
    }
    if intent == Intent::Delete && is_in_cart(target, request) {
        return Some(
            EffectJudgement::new(EffectClass::Submit, Some(Intent::Cart)).with_trait(EffectTrait::Cart),
        );
    }
    if intent == Intent::Delete && is_of_account(target) {
        return Some(
            EffectJudgement::new(EffectClass::Delete, Some(Intent::DeleteAccount))
                .with_trait(EffectTrait::WholeAccount),
        );
    }
    let effect_trait = match intent {
        Intent::Cart => EffectTrait::Cart,
        Intent::DeleteAccount => EffectTrait::WholeAccount,
        Intent::SignOut => EffectTrait::SignOut,
        Intent::SignInWith => EffectTrait::OtherIdentity,
        Intent::Download if mentions_program(target) => EffectTrait::Executable,
        _ => return Some(judgement),
    };
    Some(judgement.with_trait(effect_trait))
}

/// Reads both texts of an element, such as its label and its own name. Returns the graver one that names an
/// effect, otherwise the first.
pub(crate) fn read_graver_name(name: &str, other_name: &str) -> NameIntents {
    let (intents, other) = (name_intents::read_name(name), name_intents::read_name(other_name));
    let effect =
        |intents: &NameIntents| intents.button_intent().filter(|intent| intent_effect(*intent).is_some());
    match (effect(&intents), effect(&other)) {
        (None, Some(_)) => other,
        (Some(one), Some(two)) if two < one => other,
        (Some(_), _) | (None, None) => intents,
    }
}

/// Returns the effect class of a meaning; `None` for meanings that only change what is shown.
pub(crate) fn intent_effect(intent: Intent) -> Option<EffectClass> {
    match intent {
        Intent::Transfer | Intent::Pay | Intent::Order | Intent::Buy | Intent::Book | Intent::Subscribe => {
            Some(EffectClass::Purchase)
        }
        Intent::DeleteAccount | Intent::Delete => Some(EffectClass::Delete),
        Intent::Unsubscribe | Intent::Password | Intent::Register | Intent::SignOut => {
            Some(EffectClass::Account)
        }
        Intent::Grant | Intent::Revoke => Some(EffectClass::Permission),
        Intent::SignInWith | Intent::SignIn => Some(EffectClass::Credentials),
        Intent::Post | Intent::Send | Intent::Reply => Some(EffectClass::Message),
        Intent::Upload => Some(EffectClass::Upload),
        Intent::Download => Some(EffectClass::Download),
        Intent::Mark | Intent::Save | Intent::Cart | Intent::Commit => Some(EffectClass::Submit),
        Intent::Consent
        | Intent::Filter
        | Intent::Step
        | Intent::View
        | Intent::Cookie
        | Intent::Program
        | Intent::Plain
        | Intent::Filler => None,
    }
}

/// True if a button answers a cookie banner.
pub(crate) fn is_about_cookies(intents: &NameIntents, target: &Target) -> bool {
    if intents.mentions(Intent::Cookie) || intents.button_intent() == Some(Intent::Consent) {
        return true;
    }
    let text = target.form.as_ref().map(|form| form.text.as_str()).unwrap_or_default();
    let around = [target.context.as_str(), &target.near, text];
    // With a price, the cookies are biscuits for sale.
    let priced = around.iter().any(|text| !money::amounts(text).is_empty());
    !priced && around.iter().any(|text| name_intents::read_name(text).mentions(Intent::Cookie))
}

fn has_price(target: &Target) -> bool {
    let text = target.form.as_ref().map(|form| form.text.as_str()).unwrap_or_default();
    [target.near.as_str(), &target.name, text].iter().any(|text| !money::amounts(text).is_empty())
}

/// True if the element removes an item from the visitor's own cart, which deletes nothing.
fn is_in_cart(target: &Target, request: &AssessmentRequest<'_>) -> bool {
    let path = Url::parse(&request.page.url).map(|url| url.path().to_ascii_lowercase()).unwrap_or_default();
    let cart = |text: &str| matches!(paths::segment_intent(text), Some(Intent::Cart));
    path.split('/').any(cart) || normalize::tokenize_name(&target.context).iter().any(is_cart_word)
}

/// True if the element confirms the deletion of the account.
fn is_of_account(target: &Target) -> bool {
    let paths = ["/account/delete", "/delete-account", "/delete_account", "/account/close"];
    let leads = strip_query(target.destination.as_deref().unwrap_or_default());
    paths.iter().any(|path| leads.ends_with(path))
        || name_intents::read_name(&target.context).mentions(Intent::DeleteAccount)
}

fn is_cart_word(token: &Token) -> bool {
    const STEMS: [&str; 14] = [
        "cart",
        "basket",
        "кошик",
        "корзин",
        "warenkorb",
        "panier",
        "carrit",
        "carrell",
        "koszyk",
        "carrinh",
        "winkelwagen",
        "sepet",
        "varukorg",
        "wishlist",
    ];
    STEMS.iter().any(|stem| token.starts_with(stem))
}

fn mentions_program(target: &Target) -> bool {
    [&target.name, &target.near].iter().any(|text| name_intents::read_name(text).mentions(Intent::Program))
}
