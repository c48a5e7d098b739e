# ruff: noqa: E501  (tables of sentences are read by the line)
"""Names that the written examples are about: well known things, none of the sample corpus's."""

from __future__ import annotations

from typing import Final

__all__ = ("POOLS",)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


POOLS: Final[dict[str, tuple[str, ...]]] = {
    "person": _names(
        "Ada Lovelace, Marie Curie, Nelson Mandela, Frida Kahlo, Ludwig van Beethoven, Jane Austen, "
        "Leo Tolstoy, Alan Turing, Virginia Woolf, Pablo Picasso, Rosa Parks, Mahatma Gandhi, "
        "Charles Darwin, Amelia Earhart, Bob Dylan, David Bowie, Ella Fitzgerald, Akira Kurosawa, "
        "Serena Williams, Lionel Messi, Usain Bolt, Roger Federer, Agatha Christie, Mark Twain, "
        "Florence Nightingale, Gustav Mahler, Claude Monet, Toni Morrison, Haruki Murakami, "
        "Simone Biles, Grace Hopper, Emmy Noether, Ingmar Bergman, Greta Garbo, Otto Hahn, "
        "Rachel Carson, Jesse Owens, Henrik Ibsen, Astrid Lindgren, Jorge Luis Borges"
    ),
    "film": _names(
        "Casablanca, Vertigo, Psycho, Alien, Titanic, Amadeus, Gladiator, Fargo, Goodfellas, Taxi Driver, "
        "Chinatown, Metropolis, Rashomon, Spartacus, Ben-Hur, The Godfather, The Matrix, Spirited Away, "
        "Blade Runner, Lawrence of Arabia, The Third Man, Some Like It Hot, King Kong, Parasite, "
        "Roman Holiday, The Piano, Gandhi, Braveheart, Rocky, Cabaret"
    ),
    "book": _names(
        "Dracula, Emma, Frankenstein, Don Quixote, Ulysses, Middlemarch, Beloved, Dune, The Hobbit, "
        "War and Peace, Jane Eyre, Moby-Dick, The Trial, The Great Gatsby, Brave New World, Catch-22, "
        "Lolita, The Stranger, Little Women, Pinocchio, Treasure Island, The Tin Drum, Things Fall Apart, "
        "Wuthering Heights, Peter Pan"
    ),
    "song": _names(
        "Imagine, Yesterday, Hallelujah, Respect, Waterloo, Billie Jean, Purple Haze, Hotel California, "
        "Bohemian Rhapsody, Like a Rolling Stone, Wonderwall, Jolene, Fast Car, Smooth, Dancing Queen, "
        "Layla, Ring of Fire, Africa, Heroes, Crazy in Love"
    ),
    "band": _names(
        "Radiohead, Metallica, Nirvana, Blur, Pulp, The Kinks, The Clash, Coldplay, Arcade Fire, "
        "The Strokes, Pink Floyd, The Doors, Kraftwerk, Abba, Iron Maiden, Green Day, The Cure, Genesis, "
        "Oasis, The Killers"
    ),
    "river": _names(
        "Danube, Rhine, Volga, Elbe, Thames, Ganges, Mekong, Congo, Niger, Yukon, Tigris, Tagus, Ebro, "
        "Rhône, Po, Vistula, Dnieper, Ob, Indus, Orinoco, Zambezi, Hudson, Potomac, Murray"
    ),
    "mountain": _names(
        "Mount Etna, Mount Fuji, Denali, Mount Elbrus, the Matterhorn, Kilimanjaro, Aconcagua, K2, "
        "Mount Olympus, Ben Nevis, Mount Rainier, Mount Cook, Vesuvius, Cotopaxi, Nanga Parbat, Lhotse"
    ),
    "lake": _names(
        "Lake Victoria, Lake Baikal, Lake Geneva, Lake Superior, Lake Titicaca, Lake Constance, "
        "Lake Erie, Lake Ladoga, Lake Balaton, Lake Tahoe, Lake Malawi, Loch Ness"
    ),
    "city": _names(
        "Vienna, Prague, Lisbon, Oslo, Madrid, Kyoto, Lagos, Cairo, Lima, Boston, Hamburg, Naples, "
        "Toronto, Sydney, Mumbai, Seoul, Athens, Warsaw, Dublin, Montreal, Marseille, Antwerp, Porto, "
        "Zagreb, Tbilisi, Quito, Havana, Nairobi, Osaka, Seville"
    ),
    "country": _names(
        "Portugal, Norway, Kenya, Chile, Vietnam, Poland, Morocco, Peru, Ireland, Greece, Thailand, "
        "Ghana, Cuba, Finland, Egypt, Iceland, Hungary, Nepal, Turkey, Austria, Bolivia, Jordan"
    ),
    "building": _names(
        "Empire State Building, Burj Khalifa, Taj Mahal, Colosseum, Sydney Opera House, Big Ben, "
        "Notre-Dame, Sagrada Família, Guggenheim Museum, Louvre, Chrysler Building, Tower Bridge, "
        "Golden Gate Bridge, Hagia Sophia, Alhambra, White House, Space Needle, CN Tower, Shard, "
        "Brandenburg Gate"
    ),
    "company": _names(
        "Nokia, Toyota, Siemens, Intel, Volvo, Nestlé, Adidas, Philips, Boeing, Airbus, Samsung, IBM, "
        "Lego, Ikea, Honda, Kodak, Spotify, Nintendo, Rolls-Royce, Bosch, Cadbury, Fiat, Xerox"
    ),
    "product": _names(
        "iPhone, Walkman, Game Boy, Mini Cooper, Kindle, Post-it note, Swatch, Beetle, Thermos, Vespa, "
        "Rubik's Cube, Barbie doll, Polaroid camera, Windows, Nutella, Photoshop, Boeing 747, Model T"
    ),
    "invention": _names(
        "telephone, telescope, steam engine, dynamite, light bulb, penicillin, World Wide Web, "
        "microwave oven, barometer, printing press, ballpoint pen, jet engine, safety razor, zipper, "
        "electron, neutron, radium, oxygen, double helix, insulin"
    ),
    "ship": _names(
        "Titanic, Lusitania, Bismarck, Mayflower, Cutty Sark, Queen Mary, Vasa, Beagle, Endeavour, "
        "Potemkin, Britannic, Victory"
    ),
    "university": _names(
        "Harvard, Yale, Oxford, Bologna, Heidelberg, Uppsala, Stanford, Coimbra, Princeton, Leiden, "
        "Salamanca, Kraków"
    ),
    "team": _names(
        "Barcelona, Juventus, Ajax, Benfica, Liverpool, Bayern Munich, Celtic, Boca Juniors, Arsenal, "
        "Porto, Inter Milan, Rangers"
    ),
    "animal": _names(
        "blue whale, cheetah, ostrich, grizzly bear, komodo dragon, wolverine, red kangaroo, giant squid, "
        "African elephant, puma, albatross, walrus, moose, condor, jaguar"
    ),
    "newspaper": _names(
        "The Guardian, Le Monde, The Washington Post, Die Zeit, El País, The Economist, Vogue, Time, "
        "National Geographic, Der Spiegel, Life, Rolling Stone"
    ),
    "element": _names(
        "gold, helium, uranium, carbon, neon, sodium, iron, lithium, tungsten, silver, zinc"
    ),
    "war": _names(
        "Crimean War, Korean War, Thirty Years' War, Battle of Waterloo, Battle of Hastings, "
        "Boer War, Battle of Trafalgar, Winter War, Battle of Marathon, American Civil War"
    ),
}
"""Names by kind."""
