//! Pages of the demo shop.

pub(crate) mod cart_page;
pub(crate) mod product_pages;
pub(crate) mod account;
pub(crate) mod checkout;
pub(crate) mod contact;
pub(crate) mod orders;
pub(crate) mod sign_in;
