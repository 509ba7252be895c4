//! Turn reviews: what changed in a working tree since its baseline. They are no proposals: nobody asked for
//! them, they have no deadline, and old desks never hear of them.

pub mod source;
