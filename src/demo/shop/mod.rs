//! Pages of the demo shop.

pub(crate) mod account;
pub(crate) mod basket;
pub(crate) mod browse;
pub(crate) mod cart;
pub(crate) mod catalogue;
pub(crate) mod checkout;
pub(crate) mod contact;
pub(crate) mod orders;
pub(crate) mod sign_in;
