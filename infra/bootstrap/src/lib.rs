//! The first user, space and account key of a stack on AWS, for `scripts/bootstrap`, which reads
//! the outputs of the stack and the credentials of the operator.
//!
//! Invariant: the key is the only text of the output; everything else is a note.

use std::{
    error::Error,
    io::{self, Write},
};

use domain::{
    errors::{ServiceError, error_chain},
    keys::KeySecret,
};
use runtime::context::{ConfigurationError, FunctionContext, Settings};
use space_store::{keys::Bootstrap, spaces::Tenants};

/// Why no key was created.
#[derive(Debug, thiserror::Error)]
pub enum BootstrapError {
    /// The variables do not describe the table.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    /// A call of DynamoDB failed. The text is its cause; the error itself is the one that API
    /// callers get.
    #[error("{}", .0.source().map_or_else(|| error_chain(.0), error_chain))]
    Table(#[from] ServiceError),
    /// A key cannot be recovered because there are no users.
    #[error("the stack has no user yet. Run the command without --recover.")]
    NoUser,
    /// The output cannot be written.
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
}

/// Creates the first user, space and account key in the table that the variables of `context`
/// describe, unless there is a user; with `recover`, another account key of the first user. Writes
/// the key to `output`, and what happened to `notes`.
pub async fn run(
    context: &FunctionContext,
    recover: bool,
    output: &mut impl Write,
    notes: &mut impl Write,
) -> Result<(), BootstrapError> {
    let mut settings = Settings::of(context);
    let tenants = Tenants::new(settings.table());
    settings.finish()?;

    if recover {
        let key = space_store::keys::recover_key(&tenants).await?;
        print_key(&key.ok_or(BootstrapError::NoUser)?, output)?;
        writeln!(
            notes,
            "Created another account key of the first user, which is listed as `recovery`. Lost keys are valid until you revoke them."
        )?;
        return Ok(());
    }
    match space_store::keys::bootstrap(&tenants).await? {
        Bootstrap::Created(key) => {
            print_key(&key, output)?;
            writeln!(
                notes,
                "Created the first user, the space `My assets`, and this account key, which is not shown again."
            )?;
        }
        Bootstrap::Exists => writeln!(
            notes,
            "The stack has a first user, so nothing was created. If all account keys are lost, --recover creates another one."
        )?,
    }
    Ok(())
}

fn print_key(key: &KeySecret, output: &mut impl Write) -> io::Result<()> {
    writeln!(output, "{}", key.reveal())?;
    output.flush()
}
