//! A server of our own is started again between windows: what a start draws once (where its memory lies, above all) is drawn
//! anew, and the tables stay.

use narrows_engine::{Context, Phase};
use narrows_model::Layer;

use crate::database::Database;
use crate::error::DatabaseError;
use crate::kind::Provisioner;

impl Database {
    /// Ends the server with a checkpoint, starts it again and connects to it.
    ///
    /// Dead rows go first, so that the next windows don't find a longer table than those before. The buffer pool is warmed by whoever
    /// measures.
    ///
    /// # Errors
    /// The server does not end or does not come up again, or a stop.
    pub fn restart(
        &mut self,
        server: &mut dyn Provisioner,
        ctx: &Context<'_>,
    ) -> Result<(), DatabaseError> {
        ctx.stop.check()?;
        ctx.progress.phase(Layer::Database, Phase::Prepare, "the server, started again");
        self.tidy()?;
        server.stop()?;
        if let Err(error) = server.start(ctx.stop) {
            ctx.stop.check()?;
            return Err(error.into());
        }
        // The schema's lock is not taken again: on a server of our own nobody else could remove it.
        self.connect_again()?;
        self.server.heed(Some(ctx.stop));
        Ok(())
    }
}
