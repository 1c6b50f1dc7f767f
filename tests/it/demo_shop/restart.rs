//! State of the shop after a restart of the service.

use super::{Shopper, borrowed, filled};
use askfirst::demo::Shop;
use std::fs;

fn shop_in(folder: &tempfile::TempDir) -> Shop {
    Shop::open(Some(folder.path().to_owned()))
}

#[actix_web::test]
async fn everything_outlives_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut shopper = Shopper { shop: shop_in(&folder), ..Shopper::default() };
    shopper.sign_in().await;
    let passwords = [("old_password", "demo-pass-1"), ("new_password", "another-1")];
    shopper.submit("/demo/account/password", &passwords).await;
    shopper.submit("/demo/settings/share", &[("email", "a@b.example"), ("role", "buy")]).await;
    shopper.submit("/demo/cart/add", &[("product", "step"), ("cord", "linen")]).await;
    shopper.submit("/demo/delivery-slot", &[("slot", "day")]).await;
    let form = filled(&shopper.open("/demo/checkout").await.body);
    shopper.submit("/demo/checkout", &borrowed(&form)).await;
    let message = [("email", "a@b.example"), ("topic", "praise"), ("text", "Гарно")];
    shopper.submit("/demo/contact", &message).await;
    shopper.submit("/demo/lab/price", &[("price", "1500")]).await;
    shopper.submit("/demo/cart/add", &[("product", "zoria"), ("quantity", "2")]).await;
    shopper.submit("/demo/cart/options", &[("gift_wrap", "yes"), ("coupon", "SVITLO10")]).await;
    shopper.open("/demo/").await;
    let (before, page) = (shopper.state().await, shopper.open("/demo/checkout").await.body);
    shopper.shop = shop_in(&folder);
    assert_eq!(shopper.open("/demo/checkout").await.body, page);
    assert_eq!(shopper.state().await, before);
    assert_eq!((&before["orders_made"], &before["cart"]["lines"][0]["quantity"]), (&1.into(), &2.into()));
    shopper.submit_on("/demo/checkout", &borrowed(&filled(&page))).await.assert_contains("Замовлення № 2");
    shopper.submit("/demo/logout", &[]).await;
    shopper.submit("/demo/login", &[("login", "olena"), ("password", "another-1")]).await;
    assert_eq!(shopper.state().await["account"]["login"], "olena");
    let stored = fs::read_to_string(folder.path().join("demo.json")).expect("the file");
    assert!(!stored.contains("another-1") && !stored.contains("demo-pass-1"), "{stored}");
}

#[actix_web::test]
async fn a_broken_file_is_set_aside() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, aside) = (folder.path().join("demo.json"), folder.path().join("demo.broken.json"));
    for broken in ["[[\"v1\", {\"cart\"", "{}", ""] {
        fs::write(&file, broken).expect("written");
        let mut shopper = Shopper { shop: shop_in(&folder), ..Shopper::default() };
        assert_eq!(fs::read_to_string(&aside).expect("set aside"), broken);
        assert!(!file.exists());
        shopper.submit_on("/demo/cart/add", &[("product", "rosa")]).await.assert_contains("Додано в кошик");
        assert!(file.exists());
    }
}

#[actix_web::test]
async fn reading_the_shop_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut shopper = Shopper { shop: shop_in(&folder), ..Shopper::default() };
    for page in ["/demo/", "/demo/product/zoria", "/demo/cart", "/demo/login", "/demo/account"] {
        shopper.open(page).await;
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

#[actix_web::test]
async fn a_folder_that_cannot_be_written_leaves_a_shop_in_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = folder.path().join("taken");
    fs::write(&taken, "a file, not a folder").expect("written");
    let mut shopper = Shopper { shop: Shop::open(Some(taken)), ..Shopper::default() };
    shopper.submit_on("/demo/cart/add", &[("product", "rosa")]).await.assert_contains("Додано в кошик");
}
