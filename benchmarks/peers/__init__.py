"""Other libraries' relatives of the games, with random players, beside shipsim; they live in an environment apart."""
