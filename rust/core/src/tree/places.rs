//! Which element may stand in which, and under which name.

use super::elements::Node;
use crate::codes::S011;
use crate::context::{Context, utf8};
use crate::names::{Key, Name, Role};
use crate::namespaces::Ns;

/// Takes `<loc>` inside `<image:image>` for an `image:loc` that lost its prefix.
pub(super) fn adopt<'a>(
    context: &mut Context<'a>,
    container: &Node<'a>,
    name: &Name<'a>,
    start: usize,
    end: usize,
) -> Option<Name<'a>> {
    if name.ns != Ns::Core {
        return None;
    }
    let lower = name.local.to_ascii_lowercase();
    let key = Key::of(lower.as_bytes());
    if !key.is_in(container.name.key) || container.keys & key.bit() != 0 {
        return None;
    }
    context.marks.once(S011, &[name.raw], start, end, utf8(name.raw));
    let role = if key.is_container() { Role::Container } else { Role::Leaf };
    Some(Name {
        raw: name.raw,
        ns: container.name.ns,
        key,
        local: lower.into(),
        role,
        uri: container.name.uri.clone(),
    })
}

/// Whether an element may stand inside the one that is open, within an entry.
pub(super) fn may_hold(top: &Name<'_>, name: &Name<'_>) -> bool {
    let is_odd = matches!(name.role, Role::Unknown | Role::Extra);
    match (top.role, name.role) {
        (_, Role::Entry | Role::Root) => false,
        (Role::Entry | Role::Unknown | Role::Extra, _) => true,
        (Role::Container, Role::Leaf | Role::Container) => {
            name.ns == top.ns && belongs(name.key, top.key)
        }
        _ => is_odd,
    }
}

/// Whether an element goes into this container rather than into the one around it.
fn belongs(key: Key, container: Key) -> bool {
    match container {
        Key::Tvshow | Key::Publication => key.is_in(container),
        _ => key != container,
    }
}
