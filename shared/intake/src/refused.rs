//! Why a file is not taken.

use domain::{Fault, Violation};

/// Why a file is not taken.
#[derive(Debug)]
pub enum Refused {
    /// It is at fault: its field is to say so.
    Violation(Violation),
    /// We are.
    Fault(Fault),
}

impl From<Violation> for Refused {
    fn from(violation: Violation) -> Refused {
        Refused::Violation(violation)
    }
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Refused {
        Refused::Fault(fault)
    }
}
