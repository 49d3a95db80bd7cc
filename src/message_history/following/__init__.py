"""Follow a raw list that an agent grows and sends whole each time."""
