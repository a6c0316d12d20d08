//! Upload configs: in their space's partition, by id and by name.

use domain::{SpaceId, UploadConfig, UploadConfigReference};

use crate::{Error, Key, Table};

impl Table {
    /// An upload config of a space, by id or by name.
    pub async fn upload_config(
        &self,
        space: SpaceId,
        reference: &UploadConfigReference,
    ) -> Result<Option<UploadConfig>, Error> {
        self.get(match reference {
            UploadConfigReference::Id(id) => Key::upload_config(space, *id),
            UploadConfigReference::Name(name) => Key::upload_config_name(space, name),
        })
        .await
    }
}
