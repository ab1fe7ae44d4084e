//! Codes of the lint rules that the engine reports.
//!
//! Note: `src/urlset/engine_rules.py` holds their messages.

macro_rules! codes {
    ($($code:ident)*) => {
        $(#[doc = concat!("The lint code ", stringify!($code), ".")]
        pub const $code: &str = stringify!($code);)*
    };
}

codes! {
    X001 X002 X003 X004 X005 X006 X007 X008 X009 X010 X011 X012 X013 X014 X015 X016 X018 X019 X020
    X021 X022 X023 X024 X025 X026 X028 X029
    S001 S002 S003 S004 S006 S007 S008 S009 S010 S011 S012 S013 S014 S015 S016 S017 S019 S020 S021
    S022
    T001 T002 T003 T004
    F001 F002 F003
    U001 U002 U003 U005 U006 U015
    D001 D002 D003 D004
    L001 L002 L004 L005 L006 L007 L009
    I005
    G001 G035 G055
    H001 H002
}
