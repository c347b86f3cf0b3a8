"""Op declarations: files, records, encoded images and audio."""
