//! The lists of a space. With a space key, a list does not wait for the record of the space.

use domain::{
    ApiKey, FieldError, FieldErrors, File, FileFilter, Folder, FolderId, KeyOwner, Page,
    PageRequest, Reference, Role, ServiceError, SpaceId, UploadConfig, WebhookDelivery,
    WebhookFilter,
};
use futures::future;
use table::{Table, TableError};

use crate::{Caller, SpaceScope, Tenants};

/// The lists of one space.
#[derive(Clone, Debug)]
pub struct SpaceLists {
    table: Table,
    space: SpaceId,
}

impl Tenants {
    /// Returns the lists of the own space of a space key; `None` for an account key. Fails with 403
    /// if the role of the key is below `min`. The space may be deleted, so a list must not be
    /// returned without the [`SpaceScope`].
    pub fn own_lists(
        &self,
        caller: &Caller,
        min: Role,
    ) -> Result<Option<SpaceLists>, ServiceError> {
        caller.require_in_own_space(min)?;
        Ok(caller.space_role().map(|own| SpaceLists {
            table: self.table.clone(),
            space: own.space_id,
        }))
    }
}

impl SpaceScope {
    /// Returns the lists of this space.
    pub fn lists(&self) -> SpaceLists {
        SpaceLists {
            table: self.table.clone(),
            space: self.record.id,
        }
    }
}

impl SpaceLists {
    /// Returns the id of the space.
    pub fn space_id(&self) -> SpaceId {
        self.space
    }

    /// Returns a page of the files that pass a filter.
    pub async fn files(
        &self,
        filter: &FileFilter,
        page_request: &PageRequest,
    ) -> Result<Page<File>, ServiceError> {
        let page = self.table.files().list(self.space, filter, page_request);
        Ok(page.await?)
    }

    /// Returns the newest active file with a reference.
    pub async fn file_by_reference(
        &self,
        reference: &Reference,
    ) -> Result<Option<File>, ServiceError> {
        Ok(self
            .table
            .files()
            .by_reference(self.space, reference)
            .await?)
    }

    /// Returns a page of folders, newest first: all of them, or the direct children of a folder or of
    /// the root (`Some(None)`).
    pub async fn folders(
        &self,
        parent: Option<Option<FolderId>>,
        page_request: &PageRequest,
    ) -> Result<Page<Folder>, ServiceError> {
        let page = self.table.folders().list(self.space, parent, page_request);
        Ok(page.await?)
    }

    /// Returns a page of upload configs, newest first.
    pub async fn upload_configs(
        &self,
        page_request: &PageRequest,
    ) -> Result<Page<UploadConfig>, ServiceError> {
        let page = self.table.upload_configs().list(self.space, page_request);
        Ok(page.await?)
    }

    /// Returns a page of API keys, newest first, including revoked ones.
    pub async fn keys(&self, page_request: &PageRequest) -> Result<Page<ApiKey>, ServiceError> {
        let page = self
            .table
            .keys()
            .list(KeyOwner::Space(self.space), page_request);
        Ok(page.await?)
    }

    /// Returns a page of the deliveries of webhooks that pass a filter, newest first.
    pub async fn webhook_deliveries(
        &self,
        filter: &WebhookFilter,
        page_request: &PageRequest,
    ) -> Result<Page<WebhookDelivery>, ServiceError> {
        let page = self.table.webhooks().list(self.space, filter, page_request);
        Ok(page.await?)
    }

    /// Returns `page`, which is filtered by a folder. Fails with 422 on `field` if the folder does not
    /// exist.
    pub fn in_folder<T>(
        &self,
        field: &'static str,
        folder: Option<FolderId>,
        page: impl Future<Output = Result<T, ServiceError>>,
    ) -> impl Future<Output = Result<T, ServiceError>> {
        // Boxed, so that the futures of handlers stay small.
        let reads = future::join(Box::pin(self.has_folder(folder)), Box::pin(page));
        async move {
            let (exists, page) = reads.await;
            if exists? {
                page
            } else {
                Err(FieldErrors::from((field, FieldError::InvalidSelection)).into())
            }
        }
    }

    /// Returns whether a folder exists. The root does.
    async fn has_folder(&self, folder: Option<FolderId>) -> Result<bool, TableError> {
        let Some(folder) = folder else {
            return Ok(true);
        };
        let folders = self.table.folders().get(self.space, &[folder]).await?;
        Ok(folders.values().any(Option::is_some))
    }
}
